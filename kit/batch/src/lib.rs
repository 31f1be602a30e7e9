//! Guarded batches, for stores that run a batch as a whole and let nobody look first.
//!
//! On Cloudflare D1 there is no transaction in which a program could read, decide and write. A
//! batch of statements is all there is, and a statement that matches nothing is not an error.
//! So whatever a program would check must travel *inside* the write:
//!
//! 1. Whoever works on a thing holds a **lease** on it ([`Store::hold`]), with a *fence* that
//!    grows whenever the lease changes hands.
//! 2. A batch begins with one statement under a **guard** ([`Guard`]): the lease is still the
//!    writer's and live, the row is at the version that was seen, and whatever else has to
//!    hold. It leaves the **token** of the attempt on the row.
//! 3. Every other statement of the batch **hangs on that token** ([`Chain`]). If the guard says
//!    no, nothing has the token, and none of them writes anything.
//! 4. A **read-back** ends the batch. It tells what happened, and *asserts* that row and receipt
//!    are together, or else rolls everything back.
//! 5. If no answer comes, the **receipts** tell what became of the attempt, and the next one has
//!    a token of its own ([`Store::commit`]).
//!
//! None of it can be left out by mistake: a text that hangs on the token is of another type than
//! one that does not, the condition is added by this crate, and an attempt is used up by its batch.
//! A lease about something else, a text of another table, a batch without its read-back: none of
//! it compiles.
//!
//! # A batch from beginning to end
//!
//! An order is shipped exactly once, and the stock goes down by what it took.
//!
//! ```sql
//! CREATE TABLE orders (
//!   order_id INTEGER NOT NULL PRIMARY KEY, item TEXT NOT NULL, pieces INTEGER NOT NULL,
//!   shipped_to TEXT,
//!   version INTEGER NOT NULL DEFAULT 0, commit_token TEXT UNIQUE, updated_at INTEGER NOT NULL DEFAULT 0
//! ) STRICT;
//! CREATE TABLE order_receipts (
//!   commit_token TEXT NOT NULL PRIMARY KEY, order_id INTEGER NOT NULL, version INTEGER NOT NULL,
//!   UNIQUE (order_id, version)
//! ) STRICT;
//! CREATE TABLE stock (item TEXT NOT NULL PRIMARY KEY, pieces INTEGER NOT NULL CHECK (pieces >= 0)) STRICT;
//! ```
//!
//! Besides these, every database needs the table of leases: [`lease_store::SCHEMA`].
//!
//! ```
//! use fencepost_batch::{
//!     Change, Chain, Committed, Guard, Linked, Marked, Marking, PlanRunner, ReadBack, Sql, Store,
//!     Tracing, sql_texts,
//! };
//! use fencepost_core::{StoreError, lease::Lease, retry::Patience};
//!
//! enum Order {}
//!
//! impl Marked for Order {
//!     type Key = i64;
//!     type LeaseKey = String;
//!     const TABLE: &'static str = "orders";
//!     const KEY: &'static str = "order_id";
//!     const RECEIPTS: &'static str = "order_receipts";
//!
//!     fn lease_key(order: &i64) -> String {
//!         format!("order:{order}")
//!     }
//! }
//!
//! /// `?2` is the order, `?8` where to.
//! fn guard() -> Guard<Order> {
//!     let in_stock = "(SELECT s.pieces >= o.pieces FROM orders AS o JOIN stock AS s ON s.item = o.item \
//!                      WHERE o.order_id = ?2)";
//!     Guard::under_lease().and("in_stock", in_stock)
//! }
//!
//! sql_texts! {
//!     SHIP: Marking<Order> = "orders/ship", Sql::update_marked("shipped_to = ?8", &guard());
//!     WRITE_RECEIPT: Linked<Order> = "orders/write_receipt", Sql::write_receipt();
//!     TAKE_FROM_STOCK: Linked<Order> = "orders/take_from_stock", Sql::update(
//!         "stock",
//!         "pieces = pieces - (SELECT o.pieces FROM orders AS o WHERE o.order_id = ?2)",
//!         "item = (SELECT o.item FROM orders AS o WHERE o.order_id = ?2)").exactly(1);
//!     RELEASE: Linked<Order> = "orders/release", Sql::release_lease();
//!     READ_BACK: ReadBack<Order> = "orders/read_back", Sql::of_guard(&guard(), &[], "");
//!     TRACE: Tracing<Order> = "orders/trace", Sql::receipts("");
//! }
//!
//! /// Ships an order that has not been shipped: its version is 0.
//! async fn ship<R: PlanRunner>(
//!     store: &Store<R>,
//!     patience: Patience<'_>,
//!     lease: &Lease<String>,
//!     order: i64,
//!     to: &str,
//! ) -> Result<Committed, StoreError> {
//!     let change = Change::new(lease, order, 0);
//!     let batch = |attempt| {
//!         Chain::begin(attempt, &change, &SHIP, [to.into()])
//!             .then(&WRITE_RECEIPT, [])
//!             .then(&TAKE_FROM_STOCK, [])
//!             .then(&RELEASE, [])
//!             .read_back(&READ_BACK, |_| Ok(()))
//!     };
//!     store.commit(patience, &change, &TRACE, batch).await
//! }
//! # let texts: Vec<&str> = texts().into_iter().map(|text| text.name()).collect();
//! # assert_eq!(texts.len(), 7);
//! ```
//!
//! The batch runs on whatever implements [`PlanRunner`]: `fencepost-sqlite` and `fencepost-d1` do.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod chain;
pub use chain::{Chain, Change, Guarded, Told, trace};

pub mod clock;

mod commit;
pub use commit::Committed;

pub mod decode;

#[cfg(feature = "faults")]
pub mod faults;

mod fragment;

mod guard;
pub use guard::{Guard, OWN};

pub mod journal;

mod kept;

pub mod lease_store;

mod leases;

mod linked;

mod marked;
pub use marked::Marked;

mod metered;
pub use metered::Metered;

mod refusal;
pub use refusal::Refusal;

mod runner;
pub use runner::{PlanRunner, not_raised, raised};

mod scan;

pub mod slots;

mod statement;
pub use statement::{Batch, DecodeError, FailingBatch, Query, Row, SqlText, Statement, Understand, Value};

mod store;
pub use store::Store;

mod store_clock;
pub use store_clock::StoreClock;

pub mod texts;
pub use texts::{Insert, Linked, Marking, Raising, ReadBack, Sql, Text, Tracing};
