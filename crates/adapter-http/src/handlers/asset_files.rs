//! `/assets/{file}`: the style sheets, the script and the icon; and `/api/openapi.json`: what
//! programs can ask for, and what they are answered.
//!
//! The description is written by hand, in `assets/openapi.json`, and held against the router,
//! the problems and the domain by `tests/it/description.rs`, and against a site that runs by
//! `cargo xtask fuzz`.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, Uri},
    response::Response,
};

use super::nowhere;
use crate::{
    assets::{Asset, DESCRIPTION},
    cache_headers::{EntityTag, IMMUTABLE, REVALIDATE, file},
    config::App,
    fault::Fault,
};

/// A file that goes with the program.
pub(crate) async fn asset(State(app): State<App>, uri: Uri, request: HeaderMap) -> Result<Response, Fault> {
    match Asset::at(uri.path()) {
        Some(asset) => sent(&app, asset, IMMUTABLE, &request).await,
        None => nowhere::respond(&app, &request).await,
    }
}

/// The description of the API. It changes with the build, and not with the store.
pub(crate) async fn description(State(app): State<App>, request: HeaderMap) -> Result<Response, Fault> {
    sent(&app, &DESCRIPTION, REVALIDATE, &request).await
}

/// Reads no file for somebody who has it.
async fn sent(app: &App, asset: &Asset, kept: HeaderValue, request: &HeaderMap) -> Result<Response, Fault> {
    let tag = EntityTag::spelled(asset.hash);
    let content = match tag.is_held_by(request) {
        true => None,
        false => Some(app.files.read(asset.file).await?),
    };
    Ok(file(&tag, asset.content_type, content, kept))
}
