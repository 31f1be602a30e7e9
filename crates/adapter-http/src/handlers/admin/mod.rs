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

use axum::response::{IntoResponse, Response};

use super::{metrics, nowhere};
use crate::{
    asked::Asked,
    auth::require_admin,
    endpoint::{Place, get, post},
    json::MAX_BODY_BYTES,
    problem::Problem,
    router::parts,
};

/// Answers everything below `/admin/api`, and the metrics, which are for the same people: the
/// token first.
pub(crate) async fn answer(asked: &mut Asked) -> Response {
    if let Err(problem) = require_admin(asked) {
        return problem.into_response();
    }
    asked.take_at_most(MAX_BODY_BYTES);
    let place = place(&parts(asked.uri()));
    match place {
        Some(place) => place.otherwise(nowhere::api_method_not_allowed).answer(asked).await,
        None => Problem::not_found().into_response(),
    }
}

fn place(path: &[&str]) -> Option<Place> {
    let path = match path {
        ["metrics"] => return Some(get(metrics::metrics)),
        ["admin", "api", path @ ..] if !path.contains(&"") => path,
        _ => return None,
    };
    Some(match path {
        ["puzzles"] => post(puzzles::import),
        ["jobs", _] => post(jobs::run),
        ["items"] => get(items::list),
        ["items", _] => get(items::show),
        ["items", _, "withdraw"] => post(items::withdraw),
        ["items", _, "reinstate"] => post(items::reinstate),
        ["items", _, "republish"] => post(items::republish),
        ["items", _, "retry"] => post(items::retry),
        ["items", _, "reschedule"] => post(items::reschedule),
        ["items", _, "preview"] => post(previews::make),
        ["outbox"] => get(outbox::list),
        ["outbox", _, "retry"] => post(outbox::retry),
        ["actions"] => get(actions::list),
        ["export", _] => get(exports::export),
        ["runs"] => get(runs::list),
        ["quota"] => post(site::quota),
        ["policy"] => post(site::policy),
        ["pause"] => post(site::pause),
        ["resume"] => post(site::resume),
        ["verify"] => get(site::verify),
        ["status"] => get(site::status),
        ["doctor"] => get(site::doctor),
        _ => return None,
    })
}
