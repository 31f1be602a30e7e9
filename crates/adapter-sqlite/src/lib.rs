//! Fencepost on an embedded SQLite.
//!
//! The plans of `fencepost-sql` are run as D1 runs them: a batch is one transaction
//! that nobody can look into, begun with `BEGIN IMMEDIATE` so that it waits for its
//! turn instead of failing when it comes to its first write. Several processes may
//! share one database file; the write-ahead log lets them read while one of them
//! writes.
//!
//! Writes go through one connection and reads through a pool of several, and no call ever
//! holds a connection while it waits for another, so that neither can starve the other. The
//! connection that writes runs a batch where it is asked for, without a thread of its own, and
//! so does one for time and revision, with which every request begins.

mod options;
pub use fencepost_plan_store::StoreClock;
pub use options::{Durability, SqliteOptions};

mod open;
pub use open::{OpenError, open};

mod inspect;
pub use inspect::{FileForm, inspect};

mod migrations;

mod run;
pub use run::{SqliteRunner, SqliteStore};

mod inline;

mod writer;

mod row;

mod revisions;
pub use revisions::SqliteRevisions;

mod error;
