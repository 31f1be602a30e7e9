#[path = "shared/tables.rs"]
mod tables;

use tables::*;

fn without_lease() -> Guard<Order> {
    Guard { conditions: Vec::new(), row: std::marker::PhantomData }
}

fn main() {}
