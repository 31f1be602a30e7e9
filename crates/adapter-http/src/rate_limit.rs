//! How often one client may send something: the question, and what is said to one too many.
//!
//! Counting needs a clock, and knows by what a client is told from others. So whoever serves
//! the router counts, and the router says where.

use async_trait::async_trait;
use axum::{
    extract::{Request, State},
    http::request::Parts,
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{config::App, problem::Problem};

/// Counts the requests of clients.
#[async_trait]
pub trait RateLimit: Send + Sync {
    /// Counts the request that has this head. `None` lets it pass; if it is one too many, in
    /// how many seconds the client may come again, at least one.
    async fn seconds_to_wait(&self, client: &Parts) -> Option<u64>;
}

/// Lets a request pass, or answers it without having read its body.
pub(crate) async fn limited(State(app): State<App>, request: Request, next: Next) -> Response {
    let Some(limit) = &app.rate_limit else { return next.run(request).await };
    let (head, body) = request.into_parts();
    match limit.seconds_to_wait(&head).await {
        None => next.run(Request::from_parts(head, body)).await,
        Some(seconds) => Problem::too_many_requests(seconds).into_response(),
    }
}
