//! `/api/openapi.json`: what programs can ask for, and what they are answered.
//!
//! The document is written by hand, in `assets/openapi.json`, and held against the router,
//! the problems and the domain by `tests/it/description.rs`, and against a site that runs by
//! `cargo xtask fuzz`.

use std::sync::LazyLock;

use axum::{http::HeaderMap, response::Response};
use fencepost_application::short_hash;

use crate::cache_headers::{EntityTag, REVALIDATE, file};

/// The document without the blanks that people need, which `build.rs` leaves out.
const DOCUMENT: &str = include_str!(concat!(env!("OUT_DIR"), "/openapi.json"));

static TAG: LazyLock<EntityTag> = LazyLock::new(|| EntityTag::spelled(&short_hash(DOCUMENT.as_bytes(), 16)));

/// The description of the API. It changes with the build, and not with the store.
pub(crate) async fn description(request: HeaderMap) -> Response {
    file(&TAG, "application/json", DOCUMENT, REVALIDATE, &request)
}
