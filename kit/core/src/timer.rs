//! Waiting.

use async_trait::async_trait;

/// Waiting between two attempts. Decides nothing: what time it is, the store says.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Timer: Send + Sync {
    /// Returns after about `ms` milliseconds. In a test it may return at once: nothing depends on
    /// the time that has passed.
    async fn sleep(&self, ms: u64);
}

/// Waits for nothing, for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct AtOnce;

#[async_trait]
impl Timer for AtOnce {
    async fn sleep(&self, _: u64) {}
}
