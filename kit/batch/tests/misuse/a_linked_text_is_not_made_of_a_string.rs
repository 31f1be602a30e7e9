#[path = "shared/tables.rs"]
mod tables;

use tables::*;

sql_texts! {
    COUNT_ORDER: Linked<Order> = "orders/count_order", "UPDATE totals SET orders = orders + 1";
}

fn named(sql: &'static str) -> Text<Linked<Order>> {
    Text::new("orders/count_order", sql)
}

fn unnamed(sql: String) -> Sql<Linked<Order>> {
    Sql::of(sql)
}

fn main() {}
