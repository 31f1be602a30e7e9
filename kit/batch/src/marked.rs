//! The row that a landed attempt leaves its token on.

use std::fmt::Display;

use crate::Value;

/// A table whose rows are changed by guarded batches, one row by each batch.
///
/// A landed attempt writes its token into the row, and every later statement of its batch is
/// on the condition that the token is there. So the table needs columns for it, and a second
/// table for the *receipts*: one row per change, which is never changed again. It is what
/// attempts without an answer are looked up in. Neither a row nor a receipt is ever deleted, by
/// nobody: a batch whose row went with it could not tell that it has landed.
///
/// ```
/// use fencepost_batch::Marked;
///
/// /// ```sql
/// /// CREATE TABLE invoices (
/// ///   invoice_id INTEGER NOT NULL PRIMARY KEY,
/// ///   total_cents INTEGER NOT NULL,
/// ///   version INTEGER NOT NULL, commit_token TEXT NOT NULL UNIQUE, updated_at INTEGER NOT NULL
/// /// ) STRICT;
/// /// CREATE TABLE invoice_receipts (
/// ///   commit_token TEXT NOT NULL PRIMARY KEY, invoice_id INTEGER NOT NULL, version INTEGER NOT NULL,
/// ///   UNIQUE (invoice_id, version)
/// /// ) STRICT;
/// /// ```
/// enum Invoice {}
///
/// impl Marked for Invoice {
///     type Key = i64;
///     type LeaseKey = String;
///     const TABLE: &'static str = "invoices";
///     const KEY: &'static str = "invoice_id";
///     const RECEIPTS: &'static str = "invoice_receipts";
///
///     fn lease_key(key: &i64) -> String {
///         format!("invoice:{key}")
///     }
/// }
/// ```
pub trait Marked: 'static {
    /// What a row is found by.
    type Key: Into<Value> + Clone;
    /// What the leases are about that rows are changed under. A lease of another type cannot
    /// stand in a [`Change`](crate::Change) of this table. Its text is the key of the lease.
    type LeaseKey: Display + PartialEq;
    /// The table.
    const TABLE: &'static str;
    /// What its rows are called in the texts.
    const ALIAS: &'static str = "marked";
    /// The column that a row is found by, in the table and in that of the receipts. It must be
    /// unique in the table.
    const KEY: &'static str;
    /// The column for the token, in both tables. It must be unique in that of the receipts.
    const TOKEN: &'static str = "commit_token";
    /// The column for the number of changes, 1 after the first, in both tables.
    const VERSION: &'static str = "version";
    /// The column for the instant of the last change, in the table.
    const AT: &'static str = "updated_at";
    /// The table of the receipts.
    const RECEIPTS: &'static str;

    /// What a lease must be about, so that this row may be changed under it. Several rows may
    /// share a lease; then their changes exclude each other.
    fn lease_key(key: &Self::Key) -> Self::LeaseKey;
}

/// Whether the row `?2` has the token `?7`.
pub(crate) fn has_token<M: Marked>() -> String {
    let (table, alias) = (M::TABLE, M::ALIAS);
    format!(
        "EXISTS (SELECT 1 FROM {table} AS {alias} WHERE {alias}.{} = ?2 AND {alias}.{} = ?7)",
        M::KEY,
        M::TOKEN
    )
}

/// The version of the row `?2`; 0 if there is none.
pub(crate) fn version<M: Marked>() -> String {
    let (table, alias) = (M::TABLE, M::ALIAS);
    format!(
        "coalesce((SELECT {alias}.{} FROM {table} AS {alias} WHERE {alias}.{} = ?2), 0)",
        M::VERSION,
        M::KEY
    )
}
