//! `/assets/{file}`: the style sheet and the icon.

use axum::{
    extract::State,
    http::{HeaderMap, Uri},
    response::Response,
};

use super::nowhere;
use crate::{
    assets::Asset,
    cache_headers::{IMMUTABLE, file},
    config::App,
    fault::Fault,
};

/// A file that is part of the program.
pub(crate) async fn asset(State(app): State<App>, uri: Uri, request: HeaderMap) -> Result<Response, Fault> {
    match Asset::at(uri.path()) {
        Some(asset) => Ok(file(&asset.tag, asset.content_type, asset.content, IMMUTABLE, &request)),
        None => nowhere::respond(&app, &request).await,
    }
}
