//! `/preview/{id}` and `/preview/{id}/image/{key}`: what is not out, for the holder of a link.
//!
//! A link that was changed, that is another site's or that has run out is an address of
//! nothing, and answered as such: it tells neither that there is a puzzle nor what was wrong.

use axum::{
    extract::State,
    http::{HeaderMap, Uri},
    response::Response,
};

use super::nowhere;
use crate::{cache_headers, config::App, fault::Fault, preview_link, view};

/// A page or its photo.
pub(crate) async fn preview(State(app): State<App>, uri: Uri, request: HeaderMap) -> Result<Response, Fault> {
    let Some((address, expires_at)) = preview_link::read(&app, &uri) else {
        return nowhere::respond(&app, &request).await;
    };
    let render = |content: Option<_>| match content {
        Some(content) => view::preview(&app, content),
        None => view::nothing(),
    };
    let previewed = app.site.serve_preview(&address, expires_at, render).await?;
    app.heed_overdue(previewed.served.overdue, previewed.served.now);
    Ok(if previewed.shown {
        cache_headers::respond_to_holder(previewed.served)
    } else {
        cache_headers::respond(previewed.served, &request)
    })
}
