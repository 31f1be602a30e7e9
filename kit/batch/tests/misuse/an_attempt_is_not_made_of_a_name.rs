#[path = "shared/tables.rs"]
mod tables;

use tables::*;

fn begin(token: CommitToken, change: &Change<'_, Order>) -> Chain<Order> {
    Chain::begin(token, change, &SHIP, ["Kyoto".into()])
}

fn make(token: CommitToken) -> Attempt {
    Attempt(token)
}

fn vouch(owner: OwnerId) -> Attempt {
    Attempt::vouched_for(owner)
}

fn main() {}
