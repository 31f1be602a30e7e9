//! `/images/{key}`: a photo, while something public shows it.
//!
//! The bytes behind a key never change, but whether they may be seen does: a withdrawal
//! takes the photo with it. So a photo is kept by clients and asked about before every use,
//! and the usual answer is `304`, for which no bytes are read.

use axum::{
    extract::State,
    http::{HeaderMap, Uri},
    response::Response,
};
use fencepost_domain::image::ImageKey;

use super::nowhere;
use crate::{
    cache_headers::{EntityTag, revalidated_bytes},
    config::App,
    fault::Fault,
};

/// A photo.
pub(crate) async fn image(State(app): State<App>, uri: Uri, request: HeaderMap) -> Result<Response, Fault> {
    let Some(key) = key(&uri) else { return nowhere::respond(&app, &request).await };
    let tag = EntityTag::spelled(key.as_str());
    let content_type = key.format().content_type();
    let (revision, bytes) = if tag.is_held_by(&request) {
        let page = app.heed(app.site.shows_image(&key).await?);
        (page.revision, page.content.then_some(None))
    } else {
        let page = app.heed(app.site.image(&key).await?);
        (page.revision, page.content.map(|blob| Some(blob.bytes)))
    };
    Ok(match bytes {
        Some(bytes) => revalidated_bytes(&tag, revision, content_type, bytes),
        None => nowhere::page(revision).respond_to(&request),
    })
}

fn key(uri: &Uri) -> Option<ImageKey> {
    uri.path().strip_prefix("/images/")?.parse().ok()
}
