//! How often one client may send something: the question, and what is said to one too many.
//!
//! Counting needs a clock, and knows by what a client is told from others. So whoever serves
//! the router counts, and the router says where.

use std::{
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
};

use async_trait::async_trait;
use axum::{
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{
    cache_headers::{NO_STORE, html},
    config::App,
    problem::Problem,
    view::{
        Notice,
        dashboard::{SignInNote, SignInPage},
    },
};

/// Counts the requests of clients.
#[async_trait]
pub trait RateLimit: Send + Sync {
    /// Counts the request that has this head. `None` lets it pass; if it is one too many, in
    /// how many seconds the client may come again, at least one.
    async fn seconds_to_wait(&self, client: &Parts) -> Option<u64>;
}

/// What counts as one address: a whole network of 64 bits of IPv6, because its holder has all
/// of them.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)).into(),
        address => address,
    }
}

/// Lets a request of a program pass, or answers it without having read its body.
pub(crate) async fn limited(State(app): State<App>, request: Request, next: Next) -> Response {
    let refused = |seconds| Problem::too_many_requests(seconds).into_response();
    passed(app.rate_limit.as_ref(), request, next).await.unwrap_or_else(refused)
}

/// The same for the form of a browser, whose reader wants a page.
pub(crate) async fn limited_form(State(app): State<App>, request: Request, next: Next) -> Response {
    let refused = |seconds| page(seconds, Notice::too_many_requests(seconds).html());
    passed(app.rate_limit.as_ref(), request, next).await.unwrap_or_else(refused)
}

/// The same for the form to sign in at the dashboard, which has a limit of its own.
pub(crate) async fn limited_sign_in(State(app): State<App>, request: Request, next: Next) -> Response {
    let refused = |seconds| page(seconds, SignInPage::new(Some(SignInNote::TooOften { seconds })).html());
    passed(app.sign_in_limit.as_ref(), request, next).await.unwrap_or_else(refused)
}

/// A page that says when to come again, and is kept by nobody.
fn page(seconds: u64, document: String) -> Response {
    let mut response = html(StatusCode::TOO_MANY_REQUESTS, document);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
    response
}

/// The answer to a request that may pass, or in how many seconds it may come again.
async fn passed(limit: Option<&Arc<dyn RateLimit>>, request: Request, next: Next) -> Result<Response, u64> {
    let Some(limit) = limit else { return Ok(next.run(request).await) };
    let (head, body) = request.into_parts();
    match limit.seconds_to_wait(&head).await {
        None => Ok(next.run(Request::from_parts(head, body)).await),
        Some(seconds) => Err(seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_64_bits_is_one_address() {
        let check = |address: &str, expected: &str| {
            assert_eq!(network_of(address.parse().unwrap()).to_string(), expected);
        };
        check("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::");
        check("2001:db8:1:2:ffff::", "2001:db8:1:2::");
        check("2001:db8:1:3::1", "2001:db8:1:3::");
        check("::ffff:192.0.2.7", "192.0.2.7");
        check("192.0.2.7", "192.0.2.7");
    }
}
