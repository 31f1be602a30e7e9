//! `/`: the game of the day.

use axum::{
    extract::{Request, State},
    response::Response,
};
use fencepost_application::Address;

use super::page;
use crate::{config::App, fault::Fault};

/// Today's puzzle and the newest answers.
pub(crate) async fn home(State(app): State<App>, request: Request) -> Result<Response, Fault> {
    page::serve(&app, Address::Home, request.headers()).await
}
