//! The variable parts of an address.

use std::str::FromStr;

use crate::{
    asked::{Asked, Told},
    handlers::row_number::row_number,
    problem::Problem,
};

/// What stands before the variable part in every address that has one, slash by slash:
/// nothing, `admin`, `api`, and `items`, `jobs`, `outbox`
/// or `export`.
const BEFORE: usize = 4;

/// The one variable part of an address. What cannot be read is an address of nothing.
///
/// It is read off the address as it was sent: axum would decode it first, and `%31` would
/// be another spelling of `1`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<T>(pub(crate) T);

impl<T: FromStr> Told for Segment<T> {
    type Refusal = Problem;

    fn read(asked: &mut Asked) -> Result<Self, Problem> {
        let value = asked.uri().path().split('/').nth(BEFORE).and_then(|value| value.parse().ok());
        value.map(Self).ok_or_else(Problem::not_found)
    }
}

/// The number of `?before=`, by which a list goes on behind something, such as `a run`.
pub(crate) fn before(query: Option<&str>, what: &str) -> Result<Option<i64>, Problem> {
    let Some(query) = query.filter(|query| !query.is_empty()) else { return Ok(None) };
    let number = query.strip_prefix("before=").and_then(row_number);
    number.map(Some).ok_or_else(|| {
        Problem::invalid_query("before", format!("ask for before= the number of {what}, and nothing else"))
    })
}
