//! `/admin`: what an operator sees and does, in a browser.
//!
//! Every page is asked for by somebody who is signed in, or answered with the form to sign
//! in: `401`, at every address below `/admin` alike, so that a stranger does not even learn
//! which there are. Every change is a form with a mark of its session, and is answered with
//! a way back: reloading the page that follows repeats nothing.
//!
//! What happens is what the API does, by the same use cases.

mod fields;

mod guest;
pub(crate) use guest::Operator;
use guest::require_operator;

mod overview;

mod calendar;

mod item;

mod editor;

mod runs;

mod actions;
mod outbox;

mod bank;

mod exports;

mod sign_in;

use axum::{
    Router,
    extract::{DefaultBodyLimit, State},
    http::{HeaderValue, StatusCode, Uri, header},
    middleware::{from_fn_with_state, map_response},
    response::Response,
};

use crate::{
    cache_headers::{NO_STORE, X_ROBOTS_TAG, html},
    config::App,
    endpoint::{endpoint, get, post},
    json::MAX_BODY_BYTES,
    rate_limit::limited_sign_in,
    view::dashboard::Page,
};

/// Everything of the dashboard.
///
/// As with the API, it stands behind its door as one service: a router tells the methods of
/// a route in `Allow` even when a layer said no.
pub(crate) fn routes(app: &App) -> Router {
    let routes = Router::new()
        .route("/admin", get(overview::show))
        .route("/admin/pause", post(overview::pause))
        .route("/admin/resume", post(overview::resume))
        .route("/admin/quota", post(overview::quota))
        .route("/admin/policy", post(overview::policy))
        .route("/admin/jobs/{job}", post(overview::run))
        .route("/admin/items", get(calendar::show))
        .route("/admin/items/new", get(editor::new).post(editor::send))
        .route("/admin/items/{id}", get(item::show))
        .route("/admin/items/{id}/edit", get(editor::edit).post(editor::send))
        .route("/admin/items/{id}/{action}", post(item::act))
        .route("/admin/runs", get(runs::show))
        .route("/admin/outbox", get(outbox::show))
        .route("/admin/outbox/{id}/retry", post(outbox::retry))
        .route("/admin/actions", get(actions::show))
        .route("/admin/bank", get(bank::show).post(endpoint(bank::check)))
        .route("/admin/bank/import", post(bank::import))
        .route("/admin/export/{export}", get(exports::show))
        .route("/admin/sign-out", post(sign_in::sign_out))
        .fallback(endpoint(nothing))
        .method_not_allowed_fallback(endpoint(nothing))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(app.clone());
    let inside =
        Router::new().fallback_service(routes).layer(from_fn_with_state(app.clone(), require_operator));
    let sign_in = post(sign_in::sign_in)
        .fallback(endpoint(sign_in::door))
        .route_layer(from_fn_with_state(app.clone(), limited_sign_in));
    Router::new()
        .route("/admin/sign-in", sign_in)
        .with_state(app.clone())
        .fallback_service(inside)
        .layer(map_response(for_one))
}

/// A part of an address, such as the second one, `items`, of `/admin/items/1118`; empty if
/// there is none. It is read off the address as it was sent: decoded, it would have more than
/// one spelling.
fn segment(uri: &Uri, nth: usize) -> &str {
    uri.path().split('/').nth(nth).unwrap_or_default()
}

/// Nobody keeps any of it, and no other site is told where it was.
async fn for_one(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    headers.insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

async fn nothing(State(app): State<App>, operator: Operator) -> Response {
    nothing_for(&app, &operator)
}

fn nothing_for(app: &App, operator: &Operator) -> Response {
    html(StatusCode::NOT_FOUND, Page::new(app, &operator.session, "There is nothing here").nothing())
}
