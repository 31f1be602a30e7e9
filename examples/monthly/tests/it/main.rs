//! The invoice run on SQLite, in everything that can go wrong.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod office;

mod calendar;
mod frugal;
mod guard;
mod killed;
mod lost;
mod overlap;
mod taken_over;
