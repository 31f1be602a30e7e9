//! The variable part of an address.

use std::str::FromStr;

use axum::{
    extract::{FromRequestParts, RawPathParams},
    http::request::Parts,
};

use crate::problem::Problem;

/// The one variable part of an address. What cannot be read is an address of nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<T>(pub(crate) T);

impl<S, T> FromRequestParts<S> for Segment<T>
where
    S: Send + Sync,
    T: FromStr,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let params =
            RawPathParams::from_request_parts(parts, state).await.map_err(|_| Problem::not_found())?;
        let value = params.iter().next().and_then(|(_, value)| value.parse().ok());
        value.map(Self).ok_or_else(Problem::not_found)
    }
}
