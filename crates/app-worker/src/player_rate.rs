//! How often one address may guess and report, by the platform's own count.
//!
//! The instances of a Worker share no memory in which they could count, but the platform
//! counts for them: a binding is told a key, and says whether it came too often. How often
//! that is stands beside the binding, in `wrangler.toml`, and without a binding nobody is
//! limited. The platform counts in each of its places apart and keeps the count on the
//! machine at hand, so to ask costs no time, and no call of the invocation's budget.
//!
//! An address is the one in `CF-Connecting-IP`, which the edge writes whatever a client has
//! sent. What counts as one address says [`network_of`], as it does for the server.
//!
//! A limit that fails must not close the game. So a fault is logged, and the request passes.

use std::{net::IpAddr, sync::Arc};

use async_trait::async_trait;
use axum::http::{HeaderMap, request::Parts};
use fencepost_adapter_http::{RateLimit, network_of};
use js_sys::{Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use worker::{Env, RateLimiter};

use crate::promised::promised;

/// The binding that counts.
const PLAYER_RATE: &str = "PLAYER_RATE";
/// The longest time that a binding may count over. It does not tell its own, and whoever has
/// waited for this long has waited long enough.
const LONGEST_PERIOD_SECONDS: u64 = 60;

/// Has the platform count what each address sends.
pub(crate) struct PlayerRate(RateLimiter);

impl PlayerRate {
    /// As the deployment says it; `None` for as often as anybody likes.
    pub(crate) fn of(env: &Env) -> Option<Arc<dyn RateLimit>> {
        let binding = Reflect::get(env, &JsValue::from_str(PLAYER_RATE)).ok()?;
        let is_bound = !binding.is_undefined() && !binding.is_null();
        // Something else of that name is found out when it is asked, and the log says so.
        is_bound.then(|| Arc::new(Self(RateLimiter::unchecked_from_js(binding))) as Arc<dyn RateLimit>)
    }

    #[worker::send]
    async fn passes(&self, key: String) -> worker::Result<bool> {
        let asked = Object::new();
        Reflect::set(&asked, &JsValue::from_str("key"), &JsValue::from_str(&key))?;
        let outcome = promised(self.0.as_ref(), "limit", &[asked.into()]).await?;
        let success = Reflect::get(&outcome, &JsValue::from_str("success"))?.as_bool();
        success.ok_or_else(|| worker::Error::RustError("it answers neither yes nor no".to_owned()))
    }
}

#[async_trait]
impl RateLimit for PlayerRate {
    async fn seconds_to_wait(&self, client: &Parts) -> Option<u64> {
        let address = address(&client.headers)?;
        match self.passes(network_of(address).to_string()).await {
            Ok(true) => None,
            Ok(false) => Some(LONGEST_PERIOD_SECONDS),
            Err(problem) => {
                tracing::warn!(
                    "the binding {PLAYER_RATE} does not count, so nobody is limited: {problem}; \
                     bind a rate limit by that name in wrangler.toml, or nothing"
                );
                None
            }
        }
    }
}

/// The address that the edge has seen. Where there is no edge, nobody is told from others.
fn address(headers: &HeaderMap) -> Option<IpAddr> {
    headers.get("cf-connecting-ip")?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_the_edge_is_the_address() {
        let check = |name: &'static str, value: &'static str, expected: Option<&str>| {
            let headers = HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())]);
            assert_eq!(address(&headers), expected.map(|text| text.parse().unwrap()), "{name}: {value}");
        };
        check("cf-connecting-ip", "192.0.2.1", Some("192.0.2.1"));
        check("cf-connecting-ip", "2001:db8::1", Some("2001:db8::1"));
        check("cf-connecting-ip", "nonsense", None);
        check("x-forwarded-for", "192.0.2.1", None);
    }
}
