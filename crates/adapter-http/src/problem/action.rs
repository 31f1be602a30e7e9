//! How an operator's actions fail: what was asked for cannot be, was refused, or did not take
//! place.

use axum::http::{StatusCode, header};
use fencepost_application::{ActionError, ImportError, ItemReport, RescheduleError, RetryError, SetError};
use fencepost_domain::{
    catch_up::CatchUp, outbox::EventId, outcome::Outcome, puzzle::Complaint, quota::DailyQuota,
    time::UnixMillis,
};
use fencepost_ports::RefusedRow;
use serde_json::json;

use super::Problem;
use crate::cache_headers::STORE_RETRY_SECONDS;

impl Problem {
    /// Whoever acts says who, or why, in a way that cannot be put on record.
    pub(crate) fn invalid_actor(header: &str, detail: impl Into<String>) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "urn:fencepost:problem:invalid-actor",
            "Who acts, or why, cannot be put on record",
            detail,
        )
        .with("header", header)
    }

    /// A number of the day's pages, or an age, that cannot be.
    pub(crate) fn invalid_setting(field: &str, least: i64, most: i64) -> Self {
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "urn:fencepost:problem:invalid-setting",
            "The setting is not valid",
            format!("{field} is a whole number from {least} to {most}, or null."),
        )
        .with("field", field)
    }

    /// A setting that somebody else has set meanwhile.
    fn not_set(what: &str) -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "urn:fencepost:problem:not-set",
            "The setting was not set",
            format!("Somebody else has set the {what} meanwhile. Look at what stands now, and set it again."),
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

    fn before_end_of_play(detail: String, playable_until: UnixMillis) -> Self {
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "urn:fencepost:problem:before-end-of-play",
            "The answer would be out while its puzzle is still being played",
            detail,
        )
        .with("playable_until", playable_until)
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

impl From<RetryError> for Problem {
    fn from(error: RetryError) -> Self {
        let detail = error.to_string();
        match error {
            RetryError::UnknownPuzzle(_) => Self::unknown_puzzle(detail),
            RetryError::NotRetried(item) => Self::new(
                StatusCode::CONFLICT,
                "urn:fencepost:problem:not-retried",
                "The item is not tried again",
                detail,
            )
            .with("item", json!(item)),
            RetryError::Store(error) => error.into(),
        }
    }
}

impl From<SetError<DailyQuota>> for Problem {
    fn from(error: SetError<DailyQuota>) -> Self {
        match error {
            SetError::NotSet(day) => Self::not_set("quota").with("quota", json!(day)),
            SetError::Store(error) => error.into(),
        }
    }
}

impl From<SetError<CatchUp>> for Problem {
    fn from(error: SetError<CatchUp>) -> Self {
        match error {
            SetError::NotSet(policy) => Self::not_set("policy").with("catch_up", json!(policy)),
            SetError::Store(error) => error.into(),
        }
    }
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
}
