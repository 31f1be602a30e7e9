//! What needs a runtime.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod around;

mod exactly;

mod faults;

mod late;

mod tokio_timer;
