//! `/healthz` and `/readyz`: for whoever restarts processes and routes requests.
//!
//! A process that cannot reach its store is alive: restarting it would not help, so only
//! `/readyz` asks the store. Both are public and tell a stranger nothing.

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};

use crate::{
    cache_headers::{NO_STORE, with_type},
    config::App,
    problem::Problem,
};

/// The process is up.
pub(crate) async fn healthz() -> Response {
    word("ok\n")
}

/// The store can be read.
pub(crate) async fn readyz(State(app): State<App>) -> Response {
    match app.site.moment().await {
        Ok(_) => word("ready\n"),
        Err(error) => {
            tracing::error!(kind = ?error.kind(), "not ready: {error}");
            Problem::store_unavailable("The log of the server says why.").into_response()
        }
    }
}

fn word(text: &'static str) -> Response {
    let mut response = with_type("text/plain; charset=utf-8", text);
    response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
    response
}
