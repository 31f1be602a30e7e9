//! Fencepost on an embedded SQLite.
//!
//! The plans of `fencepost-sql` are run as D1 runs them: a batch is one transaction
//! that nobody can look into, begun with `BEGIN IMMEDIATE` so that it waits for its
//! turn instead of failing when it comes to its first write. Several processes may
//! share one database file; the write-ahead log lets them read while one of them
//! writes.
//!
//! Writes go through a pool of one connection and reads through a pool of several, and
//! no call ever holds a connection while it waits for another, so that the pools
//! cannot starve each other.

mod options;
pub use options::{Durability, SqliteOptions, StoreClock};

mod open;
pub use open::{OpenError, SqliteStore};

mod migrations;

mod run;

mod row;

mod error;

mod lease_store;

mod publication_ledger;

mod puzzle_bank;

mod source_images;

mod answer_posts;

mod revision_source;

mod job_runs;

mod verifier;
