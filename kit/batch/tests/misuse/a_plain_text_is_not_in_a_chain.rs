#[path = "shared/tables.rs"]
mod tables;

use tables::*;

fn go_on(chain: Chain<Order>) -> Chain<Order> {
    chain.then(&COUNT, [])
}

fn main() {}
