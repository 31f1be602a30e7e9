#[path = "shared/tables.rs"]
mod tables;

use tables::*;

fn mark_twice(chain: Chain<Order>) -> Chain<Order> {
    chain.then(&SHIP, ["Kyoto".into()])
}

fn read_in_between(chain: Chain<Order>) -> Chain<Order> {
    chain.then(&READ_BACK, [])
}

fn begin_without_guard(attempt: Attempt, change: &Change<'_, Order>) -> Chain<Order> {
    Chain::begin(attempt, change, &WRITE_RECEIPT, [])
}

fn end_without_telling(chain: Chain<Order>) -> Guarded<Order, ()> {
    chain.read_back(&TRACE, |_| Ok(()))
}

fn main() {}
