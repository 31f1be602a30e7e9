//! The SQLite adapter: the contract, and what is particular to it.

mod backend;

mod guard_weight;

mod plans;

mod contract {
    fencepost_ports::contract_tests!(crate::backend::SqliteBackend);
}
