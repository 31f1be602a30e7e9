#[path = "shared/tables.rs"]
mod tables;

use tables::*;

fn add(mut batch: Guarded<Order, ()>) -> Guarded<Order, ()> {
    batch.writes.push(Statement::new(&COUNT, Vec::new()));
    batch
}

fn main() {}
