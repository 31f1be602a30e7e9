//! Waiting.

use async_trait::async_trait;

/// Waiting between two attempts. Decides nothing: what time it is, the store says.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Timer: Send + Sync {
    /// Returns after about `ms` milliseconds.
    async fn sleep(&self, ms: u64);
}
