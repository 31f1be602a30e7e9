//! A clock that stands still until somebody moves it.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use fencepost_domain::time::UnixMillis;

/// A clock that stands still until somebody moves it, in either direction. Clones are
/// the same clock.
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    /// A clock that shows `now`.
    pub fn new(now: UnixMillis) -> Self {
        Self(Arc::new(AtomicI64::new(now.get())))
    }

    /// What it shows.
    pub fn now(&self) -> UnixMillis {
        UnixMillis::new(self.0.load(Ordering::SeqCst))
    }

    /// Sets it, forward or back.
    pub fn set(&self, now: UnixMillis) {
        self.0.store(now.get(), Ordering::SeqCst);
    }

    /// Moves it by `ms` milliseconds, and returns what it shows then.
    pub fn advance(&self, ms: i64) -> UnixMillis {
        UnixMillis::new(self.0.fetch_add(ms, Ordering::SeqCst)).plus(ms)
    }

    /// The milliseconds themselves, for an adapter that reads them at every query.
    pub fn shared(&self) -> Arc<AtomicI64> {
        Arc::clone(&self.0)
    }
}
