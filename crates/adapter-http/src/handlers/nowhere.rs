//! Every address that leads nowhere: one answer for the whole site.
//!
//! An unknown puzzle, a puzzle of tomorrow, a malformed id and a slip of the finger get the
//! same status, the same headers and the same bytes, made here and in no other place. That
//! includes the revision, so even a path that cannot exist reads it.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};

use crate::{
    cache_headers::{self, NO_STORE, html},
    config::App,
    fault::Fault,
    problem::Problem,
    view::{self, Notice},
};

/// The answer of an address that cannot have any.
pub(crate) async fn respond(app: &App, request: &HeaderMap) -> Result<Response, Fault> {
    let served = app.site.serve_nothing(view::nothing()).await?;
    app.heed_overdue(served.overdue, served.now);
    Ok(cache_headers::respond(served, request))
}

/// Any address that no route takes.
pub(crate) async fn fallback(State(app): State<App>, request: HeaderMap) -> Result<Response, Fault> {
    respond(&app, &request).await
}

/// A method that a page does not take. The router adds `Allow`.
pub(crate) async fn method_not_allowed() -> Response {
    let mut response = html(StatusCode::METHOD_NOT_ALLOWED, Notice::method_not_allowed().html());
    response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
    response
}

/// A method that an address of the admin API does not take. The router adds `Allow`.
pub(crate) async fn api_method_not_allowed() -> Response {
    Problem::method_not_allowed().into_response()
}
