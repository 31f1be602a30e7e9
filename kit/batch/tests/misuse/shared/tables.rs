//! Two tables, their texts, and what a change of the first needs.

pub use fencepost_batch::*;
#[expect(unused_imports, reason = "no case needs all of them")]
pub use fencepost_core::{
    StoreError, attempt::Attempt, id::*, lease::Lease, retry::Patience, time::UnixMillis,
};

/// An order, changed under a lease about orders.
pub enum Order {}

/// What a lease about an order is about.
#[derive(PartialEq)]
pub struct OrderKey(pub i64);

impl std::fmt::Display for OrderKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "order:{}", self.0)
    }
}

impl Marked for Order {
    type Key = i64;
    type LeaseKey = OrderKey;
    const TABLE: &'static str = "orders";
    const KEY: &'static str = "order_id";
    const RECEIPTS: &'static str = "order_receipts";

    fn lease_key(order: &i64) -> OrderKey {
        OrderKey(*order)
    }
}

/// An invoice, changed under a lease about whatever a text says.
pub enum Invoice {}

impl Marked for Invoice {
    type Key = i64;
    type LeaseKey = String;
    const TABLE: &'static str = "invoices";
    const KEY: &'static str = "invoice_id";
    const RECEIPTS: &'static str = "invoice_receipts";

    fn lease_key(invoice: &i64) -> String {
        format!("invoice:{invoice}")
    }
}

sql_texts! {
    pub SHIP: Marking<Order> = "orders/ship", Sql::update_marked("shipped_to = ?8", &Guard::under_lease());
    pub WRITE_RECEIPT: Linked<Order> = "orders/write_receipt", Sql::write_receipt();
    pub READ_BACK: ReadBack<Order> = "orders/read_back", Sql::of_guard(&Guard::under_lease(), &[], "");
    pub TRACE: Tracing<Order> = "orders/trace", Sql::receipts("");

    pub PAY: Marking<Invoice> = "invoices/pay", Sql::update_marked("paid_by = ?8", &Guard::under_lease());
    pub BOOK: Linked<Invoice> = "invoices/book", Sql::update("books", "invoices = invoices + 1", "id = 1");
    pub READ_INVOICE_BACK: ReadBack<Invoice> = "invoices/read_back",
        Sql::of_guard(&Guard::under_lease(), &[], "");
    pub TRACE_INVOICE: Tracing<Invoice> = "invoices/trace", Sql::receipts("");

    pub COUNT = "orders/count", "UPDATE totals SET orders = orders + 1";
}

/// The change of an order that is not there yet.
pub fn change(lease: &Lease<OrderKey>) -> Change<'_, Order> {
    Change::new(lease, 7, 0)
}
