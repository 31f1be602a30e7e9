//! Waits that pass at once.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use crate::Timer;

/// Waits that pass at once, and are remembered.
#[derive(Debug, Default)]
pub struct InstantTimer(Mutex<Vec<u64>>);

impl InstantTimer {
    /// A timer that nobody has waited for.
    pub fn new() -> Self {
        Self::default()
    }

    /// The waits so far, in milliseconds, in order.
    pub fn waits(&self) -> Vec<u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Timer for InstantTimer {
    async fn sleep(&self, ms: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(ms);
    }
}
