//! The model and SQLite, side by side.
//!
//! Random histories are played on the reference model, which applies the domain's rules
//! to plain collections, and on a real file. Every answer and, after every step, every
//! row of every table must be the same. The guard's predicates are part of every
//! commit's answer, so this also holds the SQL of each predicate against its Rust.

use fencepost_ports::contract::{MemoryBackend, agree};

use crate::backend::SqliteBackend;

#[tokio::test]
async fn sqlite_does_what_the_model_does() {
    for seed in 0..40 {
        agree(&MemoryBackend, &SqliteBackend, seed, 80).await;
    }
}
