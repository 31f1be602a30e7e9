//! Guarded batches on Cloudflare D1.
//!
//! A batch is one call of D1's `batch()`, which runs its statements as a transaction; a
//! query is a batch of one. Every call goes to the primary, since the plain binding
//! never reads from a replica.
//!
//! Only this crate and the Workers know JavaScript. Its futures are not `Send`, and its
//! numbers are floating-point: the first is hidden in `run.rs`, the second crosses in
//! `value.rs` and nowhere else.

mod run;
pub use run::D1Runner;

mod row;

mod value;

mod error;

mod worker_timer;
pub use worker_timer::WorkerTimer;
