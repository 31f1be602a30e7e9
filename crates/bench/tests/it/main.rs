//! The program, as `cargo xtask bench` uses it.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod reporting;
