#[path = "shared/tables.rs"]
mod tables;

use tables::*;

fn keep(attempt: &Attempt) -> Attempt {
    Attempt::clone(attempt)
}

fn main() {}
