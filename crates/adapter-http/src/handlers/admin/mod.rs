//! `/admin/api`: what an operator does, in JSON.
//!
//! Every change runs to its end even when the operator hangs up, see [`crate::spawner`].

mod actor;

mod actions;

mod puzzles;

mod jobs;

mod runs;

mod items;
pub(crate) use items::took_place;

mod previews;

mod outbox;

mod exports;

mod site;

mod path;

use axum::{Router, extract::DefaultBodyLimit, middleware::from_fn_with_state};

use super::{metrics, nowhere};
use crate::{
    auth::require_admin,
    config::App,
    endpoint::{endpoint, get, post},
    json::MAX_BODY_BYTES,
};

/// Everything below `/admin/api`, and the metrics, which are for the same people.
///
/// The routes stand behind the token as one service, and not each behind a layer of its
/// own: a router tells the methods of a route in `Allow` even when a layer said no.
pub(crate) fn routes(app: &App) -> Router {
    let routes = Router::new()
        .route("/admin/api/puzzles", post(puzzles::import))
        .route("/admin/api/jobs/{job}", post(jobs::run))
        .route("/admin/api/items", get(items::list))
        .route("/admin/api/items/{id}", get(items::show))
        .route("/admin/api/items/{id}/withdraw", post(items::withdraw))
        .route("/admin/api/items/{id}/reinstate", post(items::reinstate))
        .route("/admin/api/items/{id}/republish", post(items::republish))
        .route("/admin/api/items/{id}/retry", post(items::retry))
        .route("/admin/api/items/{id}/reschedule", post(items::reschedule))
        .route("/admin/api/items/{id}/preview", post(previews::make))
        .route("/admin/api/outbox", get(outbox::list))
        .route("/admin/api/outbox/{id}/retry", post(outbox::retry))
        .route("/admin/api/actions", get(actions::list))
        .route("/admin/api/export/{export}", get(exports::export))
        .route("/admin/api/runs", get(runs::list))
        .route("/admin/api/quota", post(site::quota))
        .route("/admin/api/policy", post(site::policy))
        .route("/admin/api/pause", post(site::pause))
        .route("/admin/api/resume", post(site::resume))
        .route("/admin/api/verify", get(site::verify))
        .route("/admin/api/status", get(site::status))
        .route("/admin/api/doctor", get(site::doctor))
        .route("/metrics", get(metrics::metrics))
        .fallback(endpoint(nowhere::api_fallback))
        .method_not_allowed_fallback(endpoint(nowhere::api_method_not_allowed))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(app.clone());
    Router::new().fallback_service(routes).layer(from_fn_with_state(app.clone(), require_admin))
}
