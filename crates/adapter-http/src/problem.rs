//! How the APIs fail: problem details, RFC 9457.
//!
//! Every problem has a type that never changes, so that a script can tell them apart without
//! reading prose, and a detail that says what to do. They are listed here, in `action` and in
//! `game`, all of them, and nowhere else.

use axum::{
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use fencepost_application::Rendering;
use fencepost_ports::{Retry, StoreError, StoreErrorKind};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::cache_headers::{NO_STORE, STORE_RETRY_SECONDS, with_type};

mod action;
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

    fn unknown_puzzle(detail: String) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "urn:fencepost:problem:unknown-puzzle",
            "There is no such puzzle",
            detail,
        )
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
