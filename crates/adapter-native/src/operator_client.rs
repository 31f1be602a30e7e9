//! A client for what an operator asks for himself, of a site that he names.
//!
//! Unlike the fetcher of photos it may visit any address, loopback included: nobody but the
//! operator had a say in it. It decodes nothing and follows nothing, so that whoever looks at
//! an answer sees what was sent.

use std::time::Duration;

use reqwest::Client;

use crate::trusted_roots;

/// A client that may visit any address, and hands out answers as they are.
///
/// Reads the machine's certificates, so it belongs at the start of a process.
pub fn operator_client(timeout: Duration) -> Client {
    Client::builder()
        .user_agent(concat!("fencepost/", env!("CARGO_PKG_VERSION")))
        .tls_backend_preconfigured(trusted_roots::tls_client())
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(timeout)
        .build()
        .expect("a client with finished TLS settings can be built")
}
