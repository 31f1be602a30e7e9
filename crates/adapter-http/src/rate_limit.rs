//! How often one client may send something: the question, and what is said to one too many.
//!
//! Counting needs a clock, and knows by what a client is told from others. So whoever serves
//! the router counts, and the router says where.

use std::net::{IpAddr, Ipv6Addr};

use async_trait::async_trait;
use axum::{
    http::{HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};

use crate::{
    asked::Asked,
    cache_headers::{NO_STORE, html},
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

/// Whose requests are counted, and how one too many is told.
#[derive(Clone, Copy)]
pub(crate) enum Limit {
    /// A program that plays, and is answered in JSON.
    Program,
    /// The form of the game in a browser, whose reader wants a page.
    Form,
    /// The form to sign in at the dashboard, which has a limit of its own.
    SignIn,
}

impl Limit {
    /// Lets a request pass, or answers it without having read its body.
    pub(crate) async fn pass(self, asked: &mut Asked) -> Result<(), Response> {
        let app = asked.app().clone();
        let limit = match self {
            Self::Program | Self::Form => &app.rate_limit,
            Self::SignIn => &app.sign_in_limit,
        };
        let Some(limit) = limit else { return Ok(()) };
        let Some(seconds) = asked.let_count(&**limit).await else { return Ok(()) };
        Err(match self {
            Self::Program => Problem::too_many_requests(seconds).into_response(),
            Self::Form => page(seconds, Notice::too_many_requests(seconds).html()),
            Self::SignIn => page(seconds, SignInPage::new(Some(SignInNote::TooOften { seconds })).html()),
        })
    }
}

/// A page that says when to come again, and is kept by nobody.
fn page(seconds: u64, document: String) -> Response {
    let mut response = html(StatusCode::TOO_MANY_REQUESTS, document);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
    response
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
