//! The audit of the real router: as it is, and with leaks planted in front of it.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod world;

mod clean;

mod planted;
