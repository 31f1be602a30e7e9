//! `/`: the game of the day.

use axum::{extract::State, http::HeaderMap, response::Response};
use fencepost_application::Address;

use super::page;
use crate::{config::App, fault::Fault};

/// Today's puzzle and the newest answers.
pub(crate) async fn home(State(app): State<App>, request: HeaderMap) -> Result<Response, Fault> {
    page::serve(&app, Address::Home, &request).await
}
