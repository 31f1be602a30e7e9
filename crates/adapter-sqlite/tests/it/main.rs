//! The SQLite adapter: the contract, and what is particular to it.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod backend;

mod breaking_off;

mod counting;

mod differential;

mod guard_weight;

mod opening;

mod plans;

mod rehearsing;

mod reporting;

mod revisions;

mod upgrading;

mod whole_batches;

mod inspecting;

mod contract {
    fencepost_ports::contract_tests!(crate::backend::SqliteBackend);
}
