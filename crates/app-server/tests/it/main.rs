//! The built binary, as processes of its own, on real SQLite files and loopback sockets.
//!
//! [`harness`] starts and stops processes, [`image_server`] is an image host that can be
//! made slow, [`bank`] writes imports, [`games`] plays. The other modules are tests; those of [`proofs`]
//! have a full form as well.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod harness;

mod image_server;

mod bank;

mod games;

mod command_line;

mod import;

mod export;

mod doctor;
mod reports;

mod copies;

mod demo;

mod previews;

mod webhooks;

mod audit;
mod compressed;

mod schedule;

mod shutdown;

mod proofs;
