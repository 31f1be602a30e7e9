//! Waiting by the platform's timer.

use std::time::Duration;

use async_trait::async_trait;
use fencepost_core::Timer;
use worker::{Delay, send::SendFuture};

/// Waits without using the event's computing time.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorkerTimer;

#[async_trait]
impl Timer for WorkerTimer {
    async fn sleep(&self, ms: u64) {
        SendFuture::new(Delay::from(Duration::from_millis(ms))).await;
    }
}
