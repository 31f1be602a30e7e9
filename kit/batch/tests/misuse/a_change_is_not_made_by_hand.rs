//! A change whose lease has not been compared with its row.

#[path = "shared/tables.rs"]
mod tables;
use tables::*;

fn of(lease: &Lease<OrderKey>) -> Change<'_, Order> {
    Change { lease, key: 8, seen: 0 }
}

fn main() {}
