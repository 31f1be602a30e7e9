//! Names that count.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::TokenSource;

/// Names made of a prefix and a number that counts from 1: the same at every run.
#[derive(Debug)]
pub struct CountingTokens {
    prefix: String,
    drawn: AtomicU64,
}

impl CountingTokens {
    /// Names that start with `prefix`. Two sources need two prefixes, or they would draw
    /// the same names.
    pub fn new(prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), drawn: AtomicU64::new(0) }
    }
}

impl TokenSource for CountingTokens {
    fn draw(&self) -> String {
        let number = self.drawn.fetch_add(1, Ordering::SeqCst).saturating_add(1);
        format!("{}-{number}", self.prefix)
    }
}
