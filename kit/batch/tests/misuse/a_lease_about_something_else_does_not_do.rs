#[path = "shared/tables.rs"]
mod tables;

use tables::*;

fn change(lease: &Lease<String>) -> Change<'_, Order> {
    Change::<Order>::new(lease, 7, 0)
}

fn main() {}
