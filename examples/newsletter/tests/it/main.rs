//! The newsletter on SQLite, in everything that can go wrong.
//!
//! [`desk`] has a database, a clock and a mail service. The other modules are tests.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod desk;

mod frugal;

mod audience;

mod keys;

mod lost;

mod overlap;

mod taken_over;

mod killed;
