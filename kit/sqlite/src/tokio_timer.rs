//! Waiting by the runtime's timer.

use std::time::Duration;

use async_trait::async_trait;
use fencepost_core::Timer;

/// Waits without holding a thread. Must run inside a tokio runtime that drives time.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokioTimer;

#[async_trait]
impl Timer for TokioTimer {
    async fn sleep(&self, ms: u64) {
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }
}
