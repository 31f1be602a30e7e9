//! JSON, in and out.

use std::{fmt, future};

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::{FutureExt, future::BoxFuture};
use serde::{
    Deserializer, Serialize,
    de::{DeserializeOwned, Visitor},
};

use crate::{
    cache_headers::{NO_STORE, with_type},
    problem::Problem,
};

/// The longest body that the API takes: the largest import of modest descriptions.
pub(crate) const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

/// The longest body that a player sends: a token and two short values are a tenth of it.
pub(crate) const MAX_PLAYER_BODY_BYTES: usize = 4 * 1024;

/// A JSON body.
///
/// Read by hand and not by axum's own extractor, because an operator who mends a file of
/// twenty thousand rows needs the line and the column of what is wrong.
#[derive(Debug)]
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<S, T> FromRequest<S> for JsonBody<T>
where
    S: Send + Sync,
    T: DeserializeOwned,
{
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        Self::read(&sent(request, import_too_large).await?)
    }
}

impl<T: DeserializeOwned> JsonBody<T> {
    fn read(bytes: &[u8]) -> Result<Self, Problem> {
        // Some editors begin a file with a byte order mark, which is no part of its JSON.
        let json = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        // Serde would take the values of a list for the fields of a struct, in their order.
        if json.trim_ascii_start().starts_with(b"[")
            && let Err(error) = serde_json::Deserializer::from_slice(json).deserialize_map(NoList)
        {
            return Err(Problem::malformed_json(&error, None));
        }
        let mut json = serde_json::Deserializer::from_slice(json);
        let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            // What is no JSON has no fields.
            let field = Some(error.path().to_string()).filter(|path| error.inner().is_data() && path != ".");
            Problem::malformed_json(error.inner(), field.as_deref())
        })?;
        json.end().map_err(|error| Problem::malformed_json(&error, None))?;
        Ok(Self(value))
    }
}

/// Refuses a list in the words with which serde would refuse it in the place of a map.
struct NoList;

impl Visitor<'_> for NoList {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a map")
    }
}

/// The JSON body of somebody who plays, whom nobody knows: a short one.
#[derive(Debug)]
pub(crate) struct PlayerJson<T>(pub(crate) T);

impl<S, T> FromRequest<S> for PlayerJson<T>
where
    S: Send + Sync,
    T: DeserializeOwned,
{
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let too_large =
            || Problem::body_too_large(MAX_PLAYER_BODY_BYTES, "Nothing that is taken here needs more.");
        JsonBody::read(&sent(request, too_large).await?).map(|JsonBody(value)| Self(value))
    }
}

/// A JSON body, or none at all, which means what is usual.
#[derive(Debug)]
pub(crate) struct OptionalJsonBody<T>(pub(crate) T);

impl<S, T> FromRequest<S> for OptionalJsonBody<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Default,
{
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let declared = is_json(request.headers());
        let bytes = body(request, import_too_large).await?;
        match (bytes.is_empty(), declared) {
            (true, _) => Ok(Self(T::default())),
            (false, false) => Err(Problem::unsupported_media_type()),
            (false, true) => JsonBody::read(&bytes).map(|JsonBody(value)| Self(value)),
        }
    }
}

/// The body of a request that says that it is JSON.
fn sent(request: Request, too_large: fn() -> Problem) -> BoxFuture<'static, Result<Bytes, Problem>> {
    if is_json(request.headers()) {
        body(request, too_large)
    } else {
        future::ready(Err(Problem::unsupported_media_type())).boxed()
    }
}

/// The body, in full. How long it may be, a layer of the routes says. In a box, so that it is
/// compiled once, and not into every handler.
fn body(request: Request, too_large: fn() -> Problem) -> BoxFuture<'static, Result<Bytes, Problem>> {
    let read = async move {
        Bytes::from_request(request, &()).await.map_err(|rejection| {
            if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
                too_large()
            } else {
                Problem::incomplete_body()
            }
        })
    };
    read.boxed()
}

fn import_too_large() -> Problem {
    Problem::body_too_large(MAX_BODY_BYTES, "Split the import into several files.")
}

fn is_json(headers: &HeaderMap) -> bool {
    let declared =
        headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = declared.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// An answer in JSON. Never kept: it tells what is, and the next one may tell otherwise.
#[derive(Debug)]
pub(crate) struct JsonAnswer<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for JsonAnswer<T> {
    fn into_response(self) -> Response {
        let json = serde_json::to_string(&self.0).expect("answers are plain data with text keys");
        let mut response = with_type("application/json", json);
        response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
        response
    }
}
