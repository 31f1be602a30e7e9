#[path = "shared/tables.rs"]
mod tables;

use tables::*;

fn empty() -> Guard<Order> {
    Guard::default()
}

fn main() {}
