#[path = "shared/tables.rs"]
mod tables;

use tables::*;

fn ship(guard: &Guard<Invoice>) -> Sql<Marking<Order>> {
    Sql::update_marked("shipped_to = ?8", guard)
}

fn main() {}
