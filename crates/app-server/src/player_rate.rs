//! How often one address may guess and report.
//!
//! Every guess reads from the database and every report may write, and no cache saves either.
//! So what one address sends is limited, to a rate that no household reaches by playing. It
//! may all come at once, after which a request is let through whenever its share of a minute
//! has passed.
//!
//! Each process counts for itself, in memory. An address is that of the connection, or the
//! one that the proxy in front has added to `X-Forwarded-For`: the last one, since whatever
//! stands before it was sent by the client, who may write anything. What counts as one address
//! says [`network_of`].

use std::{
    net::{IpAddr, SocketAddr},
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use axum::http::{HeaderMap, request::Parts};
use fencepost_adapter_http::{RateLimit, network_of};
use governor::{
    Quota, RateLimiter,
    clock::{Clock, DefaultClock, Reference},
    middleware::NoOpMiddleware,
    state::keyed::HashMapStateStore,
};

use crate::connections::Peer;

/// After so many requests, addresses that have been quiet for long enough are forgotten.
const FORGET_EVERY: u32 = 1_024;

type Counted<C> = RateLimiter<IpAddr, HashMapStateStore<IpAddr>, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// Counts what each address sends.
pub(crate) struct PlayerRate<C: Clock = DefaultClock> {
    counted: Counted<C>,
    clock: C,
    behind_proxy: bool,
    /// How many requests have come since the last time that anybody was forgotten.
    since: AtomicU32,
}

impl PlayerRate {
    /// So many requests a minute for each address; `None` for any number.
    pub(crate) fn per_minute(requests: u32, behind_proxy: bool) -> Option<Arc<dyn RateLimit>> {
        let requests = NonZeroU32::new(requests)?;
        Some(Arc::new(Self::new(requests, behind_proxy, DefaultClock::default())))
    }
}

impl<C: Clock + Clone> PlayerRate<C> {
    fn new(requests: NonZeroU32, behind_proxy: bool, clock: C) -> Self {
        let quota = Quota::per_minute(requests);
        let counted = RateLimiter::new(quota, HashMapStateStore::default(), clock.clone());
        Self { counted, clock, behind_proxy, since: AtomicU32::new(0) }
    }

    fn wait_of(&self, address: IpAddr) -> Option<Duration> {
        if self.since.fetch_add(1, Ordering::Relaxed) == FORGET_EVERY {
            self.since.store(0, Ordering::Relaxed);
            self.counted.retain_recent();
        }
        let refused = self.counted.check_key(&network_of(address)).err()?;
        Some(refused.wait_time_from(self.clock.now()))
    }
}

#[async_trait]
impl<C: Clock + Clone + Send + Sync> RateLimit for PlayerRate<C>
where
    C::Instant: Reference + Send + Sync,
{
    async fn seconds_to_wait(&self, client: &Parts) -> Option<u64> {
        let peer = client.extensions.get::<Peer>().map(|Peer(address)| *address);
        let forwarded = if self.behind_proxy { forwarded_for(&client.headers) } else { None };
        // A proxy that names nobody is counted itself.
        let wait = self.wait_of(forwarded.or(peer)?)?;
        Some(wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
    }
}

/// The address that the nearest proxy has added; some add its port as well.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?;
    let last = last.to_str().ok()?.rsplit(',').next()?.trim();
    let with_port = || last.parse::<SocketAddr>().ok().map(|address| address.ip());
    last.parse().ok().or_else(with_port)
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use governor::clock::FakeRelativeClock;

    use super::*;

    fn limit(requests: u32, behind_proxy: bool) -> (PlayerRate<FakeRelativeClock>, FakeRelativeClock) {
        let clock = FakeRelativeClock::default();
        (PlayerRate::new(NonZeroU32::new(requests).unwrap(), behind_proxy, clock.clone()), clock)
    }

    fn from(peer: &str, forwarded: &[&str]) -> Parts {
        let mut request = Request::new(());
        request.extensions_mut().insert(Peer(peer.parse().unwrap()));
        for value in forwarded {
            request.headers_mut().append("x-forwarded-for", value.parse().unwrap());
        }
        request.into_parts().0
    }

    #[tokio::test]
    async fn an_address_may_send_its_minute_at_once_and_then_one_at_a_time() {
        let (limit, clock) = limit(6, false);
        let (ada, bob) = (from("192.0.2.1", &[]), from("192.0.2.2", &[]));
        for nth in 0..6 {
            assert_eq!(limit.seconds_to_wait(&ada).await, None, "request {nth}");
        }
        assert_eq!(limit.seconds_to_wait(&ada).await, Some(10));
        assert_eq!(limit.seconds_to_wait(&bob).await, None, "another address");
        clock.advance(Duration::from_millis(9_999));
        assert_eq!(limit.seconds_to_wait(&ada).await, Some(1));
        clock.advance(Duration::from_millis(1));
        assert_eq!(limit.seconds_to_wait(&ada).await, None);
        assert_eq!(limit.seconds_to_wait(&ada).await, Some(10));
    }

    #[tokio::test]
    async fn whoever_waits_as_told_is_let_through() {
        let (limit, clock) = limit(60, false);
        let ada = from("192.0.2.1", &[]);
        let mut refused = 0;
        for _ in 0..500 {
            clock.advance(Duration::from_millis(37));
            if let Some(seconds) = limit.seconds_to_wait(&ada).await {
                refused += 1;
                clock.advance(Duration::from_secs(seconds));
                assert_eq!(limit.seconds_to_wait(&ada).await, None);
            }
        }
        assert!(refused > 100, "{refused}");
    }

    #[tokio::test]
    async fn only_the_proxys_own_word_counts_and_only_if_there_is_one() {
        for (behind_proxy, forwarded, counts_as) in [
            (false, &["198.51.100.1"][..], "192.0.2.1"),
            (true, &["198.51.100.1"], "198.51.100.1"),
            // What the client has written before it does not matter.
            (true, &["8.8.8.8, 198.51.100.1"], "198.51.100.1"),
            (true, &["8.8.8.8", "9.9.9.9 ,198.51.100.1 "], "198.51.100.1"),
            (true, &["8.8.8.8, nonsense"], "192.0.2.1"),
            // Some proxies tell the port as well.
            (true, &["198.51.100.1:51234"], "198.51.100.1"),
            (true, &["[2001:db8::1]:443"], "2001:db8::1"),
            (true, &[], "192.0.2.1"),
        ] {
            let (limit, _) = limit(1, behind_proxy);
            assert_eq!(limit.seconds_to_wait(&from("192.0.2.1", forwarded)).await, None);
            assert!(limit.wait_of(counts_as.parse().unwrap()).is_some(), "{forwarded:?}");
            assert_eq!(limit.counted.len(), 1, "{forwarded:?}");
        }
    }

    #[tokio::test]
    async fn whoever_is_quiet_is_forgotten() {
        let (limit, clock) = limit(60, false);
        for nth in 0..FORGET_EVERY {
            let [.., high, low] = nth.to_be_bytes();
            assert_eq!(limit.seconds_to_wait(&from(&format!("10.0.{high}.{low}"), &[])).await, None);
        }
        assert_eq!(limit.counted.len(), 1_024);
        clock.advance(Duration::from_secs(61));
        assert_eq!(limit.seconds_to_wait(&from("192.0.2.1", &[])).await, None);
        assert_eq!(limit.counted.len(), 1);
    }

    #[test]
    fn a_rate_of_nothing_is_no_limit() {
        assert!(PlayerRate::per_minute(0, false).is_none());
        assert!(PlayerRate::per_minute(1, false).is_some());
    }
}
