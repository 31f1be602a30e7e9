//! What a player sends, whatever it is.

use axum::{body::Body, http::Method};
use serde_json::Value;

use crate::world::{Answer, World};

/// A guess by the API.
pub(crate) async fn guess(world: &World, puzzle: i64, body: &Value) -> Answer {
    post(world, &format!("/api/puzzles/{puzzle}/guess"), body).await
}

/// A report of a result.
pub(crate) async fn report(world: &World, body: &Value) -> Answer {
    post(world, "/api/results", body).await
}

/// The form on the page of a game.
pub(crate) async fn form(world: &World, puzzle: i64, fields: &[(&str, &str)]) -> Answer {
    world.submit(&format!("/play/{puzzle}"), &[], fields).await
}

/// The token that a page has for a script.
pub(crate) fn token_on(page: &Answer) -> Option<String> {
    let html = page.text();
    let (_, rest) = html.split_once("data-game=\"")?;
    Some(rest.split('"').next()?.to_owned())
}

async fn post(world: &World, path: &str, body: &Value) -> Answer {
    world
        .send(Method::POST, path, &[("content-type", "application/json")], Body::from(body.to_string()))
        .await
}
