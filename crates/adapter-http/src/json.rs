//! JSON, in and out.

use std::fmt;

use axum::{
    body::Bytes,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::{
    Deserializer, Serialize,
    de::{DeserializeOwned, Visitor},
};

use crate::{
    asked::{Asked, Told},
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

impl<T: DeserializeOwned> Told for JsonBody<T> {
    type Refusal = Problem;

    const IS_OF_BODY: bool = true;

    fn read(asked: &mut Asked) -> Result<Self, Problem> {
        Self::parse(&sent(asked, import_too_large)?)
    }
}

impl<T: DeserializeOwned> JsonBody<T> {
    fn parse(bytes: &[u8]) -> Result<Self, Problem> {
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

impl<T: DeserializeOwned> Told for PlayerJson<T> {
    type Refusal = Problem;

    const IS_OF_BODY: bool = true;

    fn read(asked: &mut Asked) -> Result<Self, Problem> {
        let too_large =
            || Problem::body_too_large(MAX_PLAYER_BODY_BYTES, "Nothing that is taken here needs more.");
        JsonBody::parse(&sent(asked, too_large)?).map(|JsonBody(value)| Self(value))
    }
}

/// A JSON body, or none at all, which means what is usual.
#[derive(Debug)]
pub(crate) struct OptionalJsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned + Default> Told for OptionalJsonBody<T> {
    type Refusal = Problem;

    const IS_OF_BODY: bool = true;

    fn read(asked: &mut Asked) -> Result<Self, Problem> {
        let bytes = body(asked, import_too_large)?;
        match (bytes.is_empty(), is_json(asked.headers())) {
            (true, _) => Ok(Self(T::default())),
            (false, false) => Err(Problem::unsupported_media_type()),
            (false, true) => JsonBody::parse(&bytes).map(|JsonBody(value)| Self(value)),
        }
    }
}

/// The body of a request that says that it is JSON.
fn sent(asked: &Asked, too_large: fn() -> Problem) -> Result<Bytes, Problem> {
    if is_json(asked.headers()) { body(asked, too_large) } else { Err(Problem::unsupported_media_type()) }
}

/// The body, in full.
fn body(asked: &Asked, too_large: fn() -> Problem) -> Result<Bytes, Problem> {
    asked.body().map_err(|status| match status {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        _ => Problem::incomplete_body(),
    })
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
