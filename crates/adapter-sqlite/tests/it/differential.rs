//! The model and SQLite, side by side.
//!
//! Random histories are played on the reference model, which applies the domain's rules
//! to plain collections, and on a real file. Every answer and, after every step, every
//! row of every table must be the same. The guard's predicates are part of every
//! commit's answer, so this also holds the SQL of each predicate against its Rust.
//!
//! When `FENCEPOST_FULL_PROOFS` is set, as `cargo xtask proofs` does, there are many more.

use fencepost_ports::contract::{MemoryBackend, agree};

use crate::backend::SqliteBackend;

#[tokio::test]
async fn sqlite_does_what_the_model_does() {
    let seeds = if std::env::var_os("FENCEPOST_FULL_PROOFS").is_some() { 600 } else { 40 };
    for seed in 0..seeds {
        agree(&MemoryBackend, &SqliteBackend, seed, 80).await;
    }
}
