#[path = "shared/tables.rs"]
mod tables;

use tables::*;

fn send(attempt: Attempt, change: &Change<'_, Order>) {
    let _first = Chain::begin(attempt, change, &SHIP, ["Kyoto".into()]);
    let _again = Chain::begin(attempt, change, &SHIP, ["Kyoto".into()]);
}

fn main() {}
