//! Who acts, and why: two headers, so that a request without a body needs none.
//!
//! Whoever has the token may call themselves what they like. The trace tells people who work
//! together who did what; it is no proof against somebody who shares their token.

use axum::http::HeaderMap;
use fencepost_domain::action::{Actor, ActorError};

use crate::{
    asked::{Asked, Told},
    problem::Problem,
};

/// The name of whoever acts.
const OPERATOR: &str = "x-operator";
/// Why they do.
const REASON: &str = "x-reason";
/// Who acts that says nothing of it.
const NOBODY_IN_PARTICULAR: &str = "api";

/// Somebody who acts by the API. Names and reasons are UTF-8.
#[derive(Debug)]
pub(crate) struct By(pub(crate) Actor);

impl Told for By {
    type Refusal = Problem;

    fn read(asked: &mut Asked) -> Result<Self, Problem> {
        let headers = asked.headers();
        let name = header(headers, OPERATOR)?.unwrap_or(NOBODY_IN_PARTICULAR);
        let actor = Actor::new(name, header(headers, REASON)?);
        actor.map(Self).map_err(|error| {
            let header = match error {
                ActorError::Name => OPERATOR,
                ActorError::Reason => REASON,
            };
            Problem::invalid_actor(header, error.to_string())
        })
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Problem> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let text = std::str::from_utf8(value.as_bytes());
    text.map(Some).map_err(|_| Problem::invalid_actor(name, "the header is not UTF-8"))
}
