//! `/images/{key}`: a photo, while something public shows it.
//!
//! The bytes behind a key never change, but whether they may be seen does: a withdrawal
//! takes the photo with it. So a photo is kept by clients and asked about before every use,
//! and the usual answer is `304`, for which the store of photos is not asked.

use axum::{
    extract::{Request, State},
    http::Uri,
    response::Response,
};
use fencepost_application::Address;
use fencepost_domain::image::ImageKey;

use super::{nowhere, page};
use crate::{cache_headers::EntityTag, config::App, fault::Fault};

/// A photo.
pub(crate) async fn image(State(app): State<App>, request: Request) -> Result<Response, Fault> {
    let Some(key) = key(request.uri()) else { return nowhere::respond(&app, request.headers()).await };
    let held = EntityTag::spelled(key.as_str()).is_held_by(request.headers());
    page::serve(&app, Address::Image { key, held }, request.headers()).await
}

fn key(uri: &Uri) -> Option<ImageKey> {
    uri.path().strip_prefix("/images/")?.parse().ok()
}
