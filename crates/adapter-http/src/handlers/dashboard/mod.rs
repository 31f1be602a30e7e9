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
    extract::State,
    http::{HeaderValue, StatusCode, Uri, header},
    response::Response,
};

use crate::{
    asked::Asked,
    cache_headers::{NO_STORE, X_ROBOTS_TAG, html},
    config::App,
    endpoint::{Place, endpoint, get, post},
    json::MAX_BODY_BYTES,
    rate_limit::Limit,
    router::parts,
    view::dashboard::Page,
};

/// Answers everything of the dashboard: whoever is not signed in, by the form to sign in.
pub(crate) async fn answer(asked: &mut Asked) -> Response {
    for_one(answered(asked).await)
}

async fn answered(asked: &mut Asked) -> Response {
    if asked.uri().path() == "/admin/sign-in" {
        let door = post(sign_in::sign_in).otherwise(sign_in::door).limited(Limit::SignIn);
        return door.answer(asked).await;
    }
    if let Err(page) = require_operator(asked).await {
        return page;
    }
    asked.take_at_most(MAX_BODY_BYTES);
    let place = place(&parts(asked.uri()));
    match place {
        Some(place) => place.otherwise(nothing).answer(asked).await,
        None => endpoint(nothing).answer(asked).await,
    }
}

fn place(path: &[&str]) -> Option<Place> {
    let path = match path {
        ["admin", path @ ..] if !path.contains(&"") => path,
        _ => return None,
    };
    Some(match path {
        [] => get(overview::show),
        ["pause"] => post(overview::pause),
        ["resume"] => post(overview::resume),
        ["quota"] => post(overview::quota),
        ["policy"] => post(overview::policy),
        ["jobs", _] => post(overview::run),
        ["items"] => get(calendar::show),
        ["items", "new"] => get(editor::new).post(editor::send),
        ["items", _] => get(item::show),
        ["items", _, "edit"] => get(editor::edit).post(editor::send),
        ["items", _, _] => post(item::act),
        ["runs"] => get(runs::show),
        ["outbox"] => get(outbox::show),
        ["outbox", _, "retry"] => post(outbox::retry),
        ["actions"] => get(actions::show),
        ["bank"] => get(bank::show).post(bank::check),
        ["bank", "import"] => post(bank::import),
        ["export", _] => get(exports::show),
        ["sign-out"] => post(sign_in::sign_out),
        _ => return None,
    })
}

/// A part of an address, such as the second one, `items`, of `/admin/items/1118`; empty if
/// there is none. It is read off the address as it was sent: decoded, it would have more than
/// one spelling.
fn segment(uri: &Uri, nth: usize) -> &str {
    uri.path().split('/').nth(nth).unwrap_or_default()
}

/// Nobody keeps any of it, and no other site is told where it was.
fn for_one(mut response: Response) -> Response {
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
