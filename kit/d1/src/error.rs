//! D1's errors, told apart by what is known to have been written.
//!
//! D1 tells errors by texts. A text that names SQLite's own refusal, or a mistake in the
//! parameters, is definite: the statement was judged and the batch rolled back. A queue
//! that was full turned the request away before it began. Everything else may have
//! happened after the commit, so it is *unknown*: nothing in D1's documentation says
//! that a write that failed with a lost connection was not made.

use fencepost_batch::texts::failed_assertion;
use fencepost_core::{StoreError, StoreErrorKind};
use wasm_bindgen::{JsCast, JsValue};

/// SQLite judged the statement, or D1 its parameters.
const REFUSALS: [&str; 13] = [
    "SQLITE_CONSTRAINT",
    "SQLITE_ERROR",
    "SQLITE_MISMATCH",
    "SQLITE_TOOBIG",
    "SQLITE_RANGE",
    "SQLITE_AUTH",
    "D1_TYPE_ERROR",
    "D1_COLUMN_NOTFOUND",
    "Wrong number of parameter bindings",
    "too many SQL variables",
    "syntax error",
    "no such table",
    "no such column",
];

/// The request was turned away before it began.
const TURNED_AWAY: [&str; 1] = ["Too many requests queued"];

/// What an error of the binding says of the write.
pub(crate) fn classify(error: &worker::Error) -> StoreError {
    from_text(text(error))
}

/// What an error says of the write that a batch ended with.
pub(crate) fn classify_thrown(thrown: JsValue) -> StoreError {
    match thrown.dyn_into::<js_sys::Error>() {
        Ok(error) if String::from(error.message()).starts_with("D1") => from_text(with_cause(&error)),
        Ok(error) => classify(&JsValue::from(error).into()),
        Err(other) => classify(&other.into()),
    }
}

fn from_text(message: String) -> StoreError {
    let names = |texts: &[&str]| texts.iter().any(|text| message.contains(text));
    if let Some(failed) = failed_assertion(&message) {
        return StoreError::new(StoreErrorKind::Assertion, failed);
    }
    let kind = if names(&REFUSALS) {
        StoreErrorKind::Refused
    } else if names(&TURNED_AWAY) {
        StoreErrorKind::Busy
    } else {
        StoreErrorKind::Unknown
    };
    StoreError::new(kind, message)
}

/// The text of an error. The crate's own display of a D1 error shows its cause only, and
/// nothing at all for an error without one.
fn text(error: &worker::Error) -> String {
    match error {
        worker::Error::D1(error) => with_cause(error.as_ref()),
        other => other.to_string(),
    }
}

fn with_cause(error: &js_sys::Error) -> String {
    let cause = error.cause().dyn_into::<js_sys::Error>().map(|cause| String::from(cause.message()));
    let message = String::from(error.message());
    match cause {
        Ok(cause) if !message.contains(&cause) => format!("{message}: {cause}"),
        _ => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, expected: StoreErrorKind) {
        assert_eq!(from_text(message.to_owned()).kind(), expected, "{message}");
    }

    #[test]
    fn only_a_definite_refusal_counts_as_one() {
        use StoreErrorKind::{Assertion, Busy, Refused, Unknown};
        check(
            "D1_ERROR: UNIQUE constraint failed: t.id: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_PRIMARYKEY)",
            Refused,
        );
        check("D1_ERROR: no such table: x: SQLITE_ERROR", Refused);
        check("D1_TYPE_ERROR: Type 'bigint' not supported for value '5'", Refused);
        check("D1_ERROR: Wrong number of parameter bindings for SQL query.", Refused);
        check(
            "D1_ERROR: bad JSON path: 'assertion failed: token and receipt are not together': SQLITE_ERROR",
            Assertion,
        );
        check("D1_ERROR: D1 DB is overloaded. Too many requests queued.", Busy);
        check("D1_ERROR: D1 DB is overloaded. Requests queued for too long.", Unknown);
        check("D1_ERROR: Network connection lost.", Unknown);
        check("D1_ERROR: Internal error in D1 DB storage caused object to be reset.", Unknown);
        check("D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.", Unknown);
        check("D1_ERROR: D1 DB reset because its code was updated.", Unknown);
        check("something nobody has seen before", Unknown);
    }
}
