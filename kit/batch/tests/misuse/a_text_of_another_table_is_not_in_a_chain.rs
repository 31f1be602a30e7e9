#[path = "shared/tables.rs"]
mod tables;

use tables::*;

fn go_on(chain: Chain<Order>) -> Chain<Order> {
    chain.then(&BOOK, [])
}

fn begin(attempt: Attempt, change: &Change<'_, Order>) -> Chain<Order> {
    Chain::begin(attempt, change, &PAY, ["card".into()])
}

fn end(chain: Chain<Order>) -> Guarded<Order, ()> {
    chain.read_back(&READ_INVOICE_BACK, |_| Ok(()))
}

fn main() {}
