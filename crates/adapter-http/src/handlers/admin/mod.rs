//! `/admin/api`: what an operator does, in JSON.
//!
//! Every change runs to its end even when the operator hangs up, see [`crate::spawner`].

mod puzzles;

mod jobs;

mod items;

mod site;

mod path;

use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware::from_fn_with_state,
    routing::{get, post},
};

use super::nowhere;
use crate::{auth::require_admin, config::App, json::MAX_BODY_BYTES};

/// Everything below `/admin/api`.
///
/// The routes stand behind the token as one service, and not each behind a layer of its
/// own: a router tells the methods of a route in `Allow` even when a layer said no.
pub(crate) fn routes(app: &App) -> Router {
    let routes = Router::new()
        .route("/puzzles", post(puzzles::import))
        .route("/jobs/{job}", post(jobs::run))
        .route("/items", get(items::list))
        .route("/items/{id}", get(items::show))
        .route("/items/{id}/withdraw", post(items::withdraw))
        .route("/items/{id}/reinstate", post(items::reinstate))
        .route("/items/{id}/republish", post(items::republish))
        .route("/items/{id}/reschedule", post(items::reschedule))
        .route("/pause", post(site::pause))
        .route("/resume", post(site::resume))
        .route("/verify", get(site::verify))
        .route("/status", get(site::status))
        .fallback(nowhere::api_fallback)
        .method_not_allowed_fallback(nowhere::api_method_not_allowed)
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(app.clone());
    Router::new().fallback_service(routes).layer(from_fn_with_state(app.clone(), require_admin))
}
