#[path = "shared/tables.rs"]
mod tables;

use tables::*;

fn change(lease: &Lease<String>) -> Change<'_, Order> {
    Change { lease, key: 7, seen: 0 }
}

fn main() {}
