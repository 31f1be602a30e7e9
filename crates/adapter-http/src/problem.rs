//! How the APIs fail: problem details, RFC 9457.
//!
//! Every problem has a type that never changes, so that a script can tell them apart without
//! reading prose, and a detail that says what to do. They are listed here and in `game`, all
//! of them, and nowhere else.

use axum::{
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use fencepost_application::{ActionError, ImportError, ItemReport, Rendering, RescheduleError};
use fencepost_domain::{outbox::EventId, outcome::Outcome, puzzle::Complaint, time::UnixMillis};
use fencepost_ports::{RefusedRow, Retry, StoreError, StoreErrorKind};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::cache_headers::{NO_STORE, STORE_RETRY_SECONDS, with_type};

mod game;

/// How many entries of a list are told: whoever made the first hundred knows what to do.
const TOLD: usize = 100;

/// One failure, as RFC 9457 tells it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Problem {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    #[serde(serialize_with = "as_number")]
    status: StatusCode,
    detail: String,
    #[serde(flatten)]
    members: Map<String, Value>,
    #[serde(skip)]
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Problem {
    fn new(status: StatusCode, kind: &'static str, title: &'static str, detail: impl Into<String>) -> Self {
        Self { kind, title, status, detail: detail.into(), members: Map::new(), headers: Vec::new() }
    }

    fn with(mut self, member: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_value(value).expect("members are plain data with text keys");
        self.members.insert(member.to_owned(), value);
        self
    }

    /// The first entries of a list, and how many there are besides.
    fn with_first<T: Serialize>(self, member: &str, all: &[T]) -> Self {
        let told = &all[..all.len().min(TOLD)];
        let this = self.with(member, told);
        match all.len() - told.len() {
            0 => this,
            untold => this.with(&format!("more_{member}"), untold),
        }
    }

    fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The API is switched off.
    pub(crate) fn admin_disabled() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "urn:fencepost:problem:admin-disabled",
            "The admin API is switched off",
            "No admin token is configured. Start the server with --admin-token, or set FENCEPOST_ADMIN_TOKEN.",
        )
    }

    /// There is nothing to sign a link or a game with.
    pub(crate) fn no_secret() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "urn:fencepost:problem:no-secret",
            "No secret is configured, and what is given out here is signed with it",
            "Start the server with --secret, or set FENCEPOST_SECRET, the same at every process and Worker \
             of the site: one word of at least 32 characters, such as the output of `openssl rand -hex 32`.",
        )
    }

    /// The token is missing or wrong; which of the two is not told.
    pub(crate) fn unauthorized() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "urn:fencepost:problem:unauthorized",
            "The admin token is missing or wrong",
            "Send the configured token as `Authorization: Bearer TOKEN`.",
        )
        .with_header(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    }

    /// No such address.
    pub(crate) fn not_found() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "urn:fencepost:problem:not-found",
            "There is nothing at this address",
            "Check the spelling of the path. Puzzle ids are whole numbers without leading zeros; \
             the jobs are `publish` and `compensate`.",
        )
    }

    /// The address does not take this method. The router adds `Allow`.
    pub(crate) fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "urn:fencepost:problem:method-not-allowed",
            "This address does not take this method",
            "The header `Allow` lists the methods that it takes.",
        )
    }

    /// There is nothing to deliver again.
    pub(crate) fn already_delivered(event: &EventId) -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "urn:fencepost:problem:already-delivered",
            "The event is delivered",
            format!("The receiver has answered that it has {event}. It is not sent again."),
        )
    }

    /// A query parameter that cannot be read.
    pub(crate) fn invalid_query(parameter: &str, detail: impl Into<String>) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "urn:fencepost:problem:invalid-query",
            "A query parameter cannot be read",
            detail,
        )
        .with("parameter", parameter)
    }

    /// The body did not arrive in full.
    pub(crate) fn incomplete_body() -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "urn:fencepost:problem:incomplete-body",
            "The body did not arrive in full",
            "The body broke off, or did not go on in time; nothing was changed. Send it again.",
        )
    }

    /// The body is not the JSON that the address takes.
    ///
    /// `field` is where it is wrong, if that is inside of something.
    pub(crate) fn malformed_json(error: &serde_json::Error, field: Option<&str>) -> Self {
        let problem = Self::new(
            StatusCode::BAD_REQUEST,
            "urn:fencepost:problem:malformed-json",
            "The body is not the JSON that this address takes",
            without_type_names(&error.to_string()),
        )
        .with("line", error.line())
        .with("column", error.column());
        match field {
            Some(field) => problem.with("field", field),
            None => problem,
        }
    }

    /// The body is longer than the address takes.
    pub(crate) fn body_too_large(limit_bytes: usize, advice: &str) -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "urn:fencepost:problem:body-too-large",
            "The body is too large",
            format!("A body has at most {limit_bytes} bytes. {advice}"),
        )
        .with("limit_bytes", limit_bytes)
    }

    /// The body is not declared as JSON.
    pub(crate) fn unsupported_media_type() -> Self {
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "urn:fencepost:problem:unsupported-media-type",
            "The body is not declared as JSON",
            "Send JSON with the header `Content-Type: application/json`.",
        )
        .with_header(header::ACCEPT, HeaderValue::from_static("application/json"))
    }

    /// An instant that cannot be read, or that nobody can have meant.
    pub(crate) fn invalid_instant(field: &str, detail: impl Into<String>) -> Self {
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "urn:fencepost:problem:invalid-instant",
            "The instant is not valid",
            detail,
        )
        .with("field", field)
    }

    /// A link that would work too long, or never.
    pub(crate) fn invalid_validity(most_seconds: i64) -> Self {
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "urn:fencepost:problem:invalid-validity",
            "No link works for that long",
            format!("Write a whole number of seconds from 1 to {most_seconds}, or none, which means a day."),
        )
        .with("field", "valid_seconds")
    }

    /// An operator's action that did not take place. `done` is the word for one that did.
    pub(crate) fn not_done(done: &str, report: &ItemReport) -> Self {
        let ItemReport { puzzle_id, outcome, content_version, revision, blocked_by, detail } = report;
        let usual = match outcome {
            Outcome::NotDue => "its answer is not due yet",
            Outcome::LeaseHeld => "another worker has it in hand; try again in a moment",
            Outcome::LeaseLost => "another worker took it over meanwhile; look at it and try again",
            Outcome::Conflict => "it has changed meanwhile; look at it and try again",
            Outcome::QuotaExhausted => "today's quota is used up",
            Outcome::Paused => "the site is paused; resume it first",
            Outcome::Unknown => "the database gave no answer; look at it before you try again",
            _ => "it cannot be before somebody mends what is wrong with it",
        };
        let why = detail.as_deref().unwrap_or(usual);
        let (status, kind, detail) = match outcome {
            Outcome::Unknown => (
                StatusCode::SERVICE_UNAVAILABLE,
                "urn:fencepost:problem:action-unknown",
                format!("Puzzle {puzzle_id} was {done}, or was not: {why}"),
            ),
            _ => (
                StatusCode::CONFLICT,
                "urn:fencepost:problem:not-done",
                format!("Puzzle {puzzle_id} was not {done}: {why}"),
            ),
        };
        let mut problem = Self::new(status, kind, "The action did not take place", detail)
            .with("puzzle_id", puzzle_id)
            .with("outcome", outcome)
            .with("blocked_by", blocked_by);
        if let Some(version) = content_version {
            problem = problem.with("content_version", version);
        }
        if let Some(revision) = revision {
            problem = problem.with("revision", revision);
        }
        if *outcome == Outcome::Unknown {
            problem.title = "The database did not tell whether the action took place";
            problem = problem.with_header(header::RETRY_AFTER, STORE_RETRY_SECONDS.into());
        }
        problem
    }

    fn invalid_import(detail: String, complaints: &[Complaint]) -> Self {
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "urn:fencepost:problem:invalid-import",
            "The import is not valid",
            detail,
        )
        .with_first("complaints", complaints)
    }

    fn import_refused(detail: String, rows: &[RefusedRow]) -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "urn:fencepost:problem:import-refused",
            "The import contradicts the bank",
            detail,
        )
        .with_first("refused", rows)
    }

    fn unknown_puzzle(detail: String) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "urn:fencepost:problem:unknown-puzzle",
            "There is no such puzzle",
            detail,
        )
    }

    fn before_end_of_play(detail: String, playable_until: UnixMillis) -> Self {
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "urn:fencepost:problem:before-end-of-play",
            "The answer would be out while its puzzle is still being played",
            detail,
        )
        .with("playable_until", playable_until)
    }

    /// The store misbehaved. Operators are told what it said.
    pub(crate) fn store(error: &StoreError) -> Self {
        if error.kind() == StoreErrorKind::Corrupt {
            let title = "The database holds a value that cannot be";
            return Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "urn:fencepost:problem:corrupt-store",
                title,
                error.to_string(),
            );
        }
        if error.kind() == StoreErrorKind::OverBudget {
            // Waiting does not help: the next request has no more calls than this one.
            return Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "urn:fencepost:problem:over-budget",
                "This takes more calls than one request may make",
                format!("{error}; raise FENCEPOST_QUERY_BUDGET if your plan allows it"),
            );
        }
        Self::store_unavailable(error.to_string()).with("may_have_written", error.may_have_written())
    }

    /// The store cannot be asked.
    pub(crate) fn store_unavailable(detail: impl Into<String>) -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "urn:fencepost:problem:store-unavailable",
            "The database cannot be used just now",
            detail,
        )
        .with_header(header::RETRY_AFTER, STORE_RETRY_SECONDS.into())
    }
}

/// What a problem is sent as.
const PROBLEM_JSON: &str = "application/problem+json";

impl Problem {
    fn json(&self) -> String {
        serde_json::to_string(self).expect("a problem is plain data with text keys")
    }

    /// The problem as the content of an address, which is served like any other.
    pub(crate) fn rendering(self, retry: Option<Retry>) -> Rendering {
        Rendering {
            status: self.status.as_u16(),
            content_type: PROBLEM_JSON,
            tag: None,
            indexable: false,
            retry,
            body: self.json().into(),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = with_type(PROBLEM_JSON, self.json());
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, NO_STORE);
        headers.extend(self.headers);
        response
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        tracing::error!(kind = ?error.kind(), "an operator's request failed: {error}");
        Self::store(&error)
    }
}

impl From<ActionError> for Problem {
    fn from(error: ActionError) -> Self {
        match error {
            ActionError::UnknownPuzzle(_) => Self::unknown_puzzle(error.to_string()),
            ActionError::Store(error) => error.into(),
        }
    }
}

impl From<ImportError> for Problem {
    fn from(error: ImportError) -> Self {
        let detail = error.to_string();
        match error {
            ImportError::Invalid(complaints) => Self::invalid_import(detail, &complaints),
            ImportError::Refused(rows) => Self::import_refused(detail, &rows),
            ImportError::Store(error) => error.into(),
        }
    }
}

impl From<RescheduleError> for Problem {
    fn from(error: RescheduleError) -> Self {
        let detail = error.to_string();
        match error {
            RescheduleError::UnknownPuzzle(_) => Self::unknown_puzzle(detail),
            RescheduleError::BeforeEndOfPlay { playable_until } => {
                Self::before_end_of_play(detail, playable_until)
            }
            RescheduleError::NotMoved(item) => Self::new(
                StatusCode::CONFLICT,
                "urn:fencepost:problem:not-moved",
                "The item was not moved",
                detail,
            )
            .with("item", json!(item)),
            RescheduleError::Store(error) => error.into(),
        }
    }
}

/// What serde says of a misshapen value, in the words of JSON and not in those of Rust.
fn without_type_names(message: &str) -> String {
    let mut words = Vec::new();
    let mut rest = message.split(' ').peekable();
    while let Some(word) = rest.next() {
        match (word, rest.peek()) {
            ("struct", Some(_)) => {
                rest.next();
                words.push("an object");
            }
            ("a" | "an", Some(&("map" | "sequence"))) => words.push("an"),
            ("map", _) => words.push("object"),
            ("sequence", _) => words.push("array"),
            ("sequence,", _) => words.push("array,"),
            ("map,", _) => words.push("object,"),
            ("i64" | "u64" | "i32" | "u32" | "usize", _) => words.push("a whole number"),
            (word, _) => words.push(word),
        }
    }
    words.join(" ")
}

fn as_number<S: serde::Serializer>(status: &StatusCode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u16(status.as_u16())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn not_done(outcome: Outcome) -> Problem {
        let report = ItemReport::new(7.try_into().unwrap(), outcome).because("as it happens");
        Problem::not_done("withdrawn", &report)
    }

    #[test]
    fn only_an_unknown_end_may_have_taken_place_and_is_worth_asking_again() {
        for outcome in Outcome::ALL {
            let problem = not_done(outcome);
            let unknown = outcome == Outcome::Unknown;
            let status = if unknown { 503 } else { 409 };
            assert_eq!((problem.status.as_u16(), problem.headers.len()), (status, usize::from(unknown)));
            assert_eq!(problem.members["outcome"], outcome.as_str());
            assert_eq!(problem.members["puzzle_id"], 7);
            let said = if unknown { "withdrawn, or was not" } else { "not withdrawn" };
            assert_eq!(problem.detail, format!("Puzzle 7 was {said}: as it happens"));
        }
    }

    #[test]
    fn a_misshapen_value_is_told_without_names_of_types() {
        let check = |message: &str, expected: &str| assert_eq!(without_type_names(message), expected);
        check(
            "invalid type: sequence, expected struct RawImport at line 1",
            "invalid type: array, expected an object at line 1",
        );
        check("invalid type: map, expected a sequence", "invalid type: object, expected an array");
        check(
            "invalid type: string \"x\", expected i64",
            "invalid type: string \"x\", expected a whole number",
        );
        check("EOF while parsing a value at line 1 column 0", "EOF while parsing a value at line 1 column 0");
    }
}
