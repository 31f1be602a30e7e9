//! Guarded batches on an embedded SQLite.
//!
//! Plans are run as D1 runs them: a batch is one transaction
//! that nobody can look into, begun with `BEGIN IMMEDIATE` so that it waits for its
//! turn instead of failing when it comes to its first write. Several processes may
//! share one database file; the write-ahead log lets them read while one of them
//! writes.
//!
//! Writes go through one connection and reads through a pool of several, and no call ever
//! holds a connection while it waits for another, so that neither can starve the other. The
//! connection that writes runs a batch where it is asked for, without a thread of its own, and
//! so does one for the queries with which every request begins ([`PromptReader`]).

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod options;
pub use options::{Durability, SqliteOptions};

mod migrations;
pub use migrations::Migration;

mod open;
pub use open::OpenError;

mod inspect;
pub use inspect::{FileForm, inspect};

mod prepare;
pub use prepare::{Unprepared, prepare};

mod run;
pub use run::SqliteRunner;

mod inline;
pub use inline::STATEMENTS_KEPT;

mod tokio_timer;
pub use tokio_timer::TokioTimer;

mod writer;

mod row;

mod prompt;
pub use prompt::PromptReader;

mod error;
