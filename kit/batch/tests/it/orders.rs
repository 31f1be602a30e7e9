//! Orders that are shipped once: the example of the crate's first page.

use fencepost_batch::{
    Chain, Change, Guard, Guarded, Linked, Marked, Marking, ReadBack, Sql, Tracing, sql_texts,
};
use fencepost_core::{
    attempt::Attempt,
    id::{Fence, OwnerId},
    lease::Lease,
    time::UnixMillis,
};

pub(crate) enum Order {}

impl Marked for Order {
    type Key = i64;
    type LeaseKey = String;
    const TABLE: &'static str = "orders";
    const KEY: &'static str = "order_id";
    const RECEIPTS: &'static str = "order_receipts";

    fn lease_key(order: &i64) -> String {
        format!("order:{order}")
    }
}

/// `?8` is where to.
pub(crate) fn guard() -> Guard<Order> {
    let in_stock = "(SELECT s.pieces >= o.pieces FROM orders AS o JOIN stock AS s ON s.item = o.item \
                     WHERE o.order_id = ?2)";
    Guard::under_lease().and("in_stock", in_stock)
}

sql_texts! {
    pub(crate) SHIP: Marking<Order> = "orders/ship", Sql::update_marked("shipped_to = ?8", &guard());
    pub(crate) WRITE_RECEIPT: Linked<Order> = "orders/write_receipt", Sql::write_receipt();
    TAKE_FROM_STOCK: Linked<Order> = "orders/take_from_stock", Sql::update(
        "stock",
        "pieces = pieces - (SELECT o.pieces FROM orders AS o WHERE o.order_id = ?2)",
        "item = (SELECT o.item FROM orders AS o WHERE o.order_id = ?2)").exactly(1);
    RELEASE: Linked<Order> = "orders/release", Sql::release_lease();
    pub(crate) READ_BACK: ReadBack<Order> = "orders/read_back", Sql::of_guard(&guard(), &[], "");
    pub(crate) TRACE: Tracing<Order> = "orders/trace", Sql::receipts("");
}

pub(crate) fn lease() -> Lease<String> {
    Lease {
        key: "order:7".to_owned(),
        owner: OwnerId::new("worker-1/x"),
        fence: Fence::new(3),
        expires_at: UnixMillis::new(1_000),
    }
}

pub(crate) fn change(lease: &Lease<String>) -> Change<'_, Order> {
    Change::new(lease, 7, 0)
}

pub(crate) fn ship(attempt: Attempt, change: &Change<'_, Order>) -> Guarded<Order, ()> {
    Chain::begin(attempt, change, &SHIP, ["Kyoto".into()])
        .then(&WRITE_RECEIPT, [])
        .then(&TAKE_FROM_STOCK, [])
        .then(&RELEASE, [])
        .read_back(&READ_BACK, |_| Ok(()))
}
