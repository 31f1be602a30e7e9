//! Guarded batches on Cloudflare D1.
//!
//! A batch is one call of D1's `batch()`, which runs its statements as a transaction; a
//! query is a batch of one. Every call goes to the primary, since the plain binding
//! never reads from a replica.
//!
//! ```no_run
//! use fencepost_batch::{Metered, Store, StoreClock};
//! use fencepost_core::{StoreCounts, budget::Budget};
//! use fencepost_d1::D1Runner;
//!
//! /// The store of one invocation, which may make fifty queries on the free plan. `DB` is the
//! /// binding that the configuration of the Worker names.
//! fn store(env: &worker::Env) -> worker::Result<Store<Metered<D1Runner>>> {
//!     let runner = D1Runner::new(env.d1("DB")?, StoreClock::Database, StoreCounts::default());
//!     Ok(Store::new(Metered::new(runner, Budget::of(50))))
//! }
//! ```
//!
//! What becomes of a failed call, the kind of the [`StoreError`](fencepost_core::StoreError) tells:
//! only an error in which SQLite or D1 itself judged the statement counts as one by which nothing
//! was written. A lost connection is unknown, and so is whatever is not known yet.
//!
//! An integer beyond 2^53 is refused, as a parameter and in a row: JavaScript's numbers would
//! give its neighbour.
//!
//! Only this crate and the Workers know JavaScript. Its futures are not `Send`, and its
//! numbers are floating-point: the first is hidden in `run.rs`, the second crosses in
//! `value.rs` and nowhere else.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod run;
pub use run::D1Runner;

mod row;

mod value;

mod error;

mod worker_timer;
pub use worker_timer::WorkerTimer;
