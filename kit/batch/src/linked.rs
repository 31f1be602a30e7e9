//! Texts that hang on the token: what comes after the statement that is under the guard.
//!
//! The condition is added to each. And none of them may write what a batch is told by: key, version,
//! token and instant of a marked row, a receipt that is there, a lease.

use crate::{
    Linked, Marked, Sql,
    fragment::{changes, conflict, is_over_rows, joins, name, optional_line, part, values},
    lease_store,
    marked::has_token,
    scan::parameters,
    texts::{ASSERTION, kept, raised_by},
};

/// Rows that are written if the token is there: see [`Sql::insert`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Insert<'a> {
    /// Into which table.
    pub table: &'a str,
    /// Its columns.
    pub columns: &'a str,
    /// What they get, from the marked row among others, which is called by its
    /// [alias](Marked::ALIAS).
    pub values: &'a str,
    /// What is joined to the marked row, if anything.
    pub joins: &'a str,
    /// What happens about a row that is there already, if that is no error: such as
    /// `(utc_day) DO UPDATE SET count = count + 1`. Whatever else the batch writes for that row is
    /// written once more: where a second time is a mistake, let the unique key refuse it.
    pub on_conflict: &'a str,
}

/// The [parameters](crate::texts#parameters) are those of the guard, and from `?8` on those of one's own.
impl<M: Marked> Sql<Linked<M>> {
    /// # Panics
    /// If it asks for the clock.
    #[track_caller]
    fn linked(sql: String) -> Self {
        assert!(
            parameters(&sql).all(|number| number != 1),
            "a linked text takes no ?1: the clock goes on between two statements, so take the instant \
             of the change from the marked row, {}.{}, and its key from ?2: {sql}",
            M::ALIAS,
            M::AT
        );
        Self::of(sql)
    }

    /// Rows are written, as many as the joins make of the marked one. A receipt with columns of one's
    /// own is written this way; it has no `on_conflict`, since what is there already is that of a
    /// batch that has been sent before.
    ///
    /// # Panics
    /// If a part [would get around the condition](crate::texts#panics).
    #[track_caller]
    pub fn insert(insert: Insert<'_>) -> Self {
        let Insert { table, columns, values: row, joins: joined, on_conflict } = insert;
        let is_receipt = is_called(table, M::RECEIPTS);
        assert!(!is_receipt || on_conflict.is_empty(), "a receipt that is there already is that of another");
        let on_conflict = conflict(on_conflict, of_table::<M>(table));
        Self::linked(format!(
            "\
INSERT INTO {table} ({columns})
SELECT {row}
FROM {marked} AS {alias}{joins}
WHERE {alias}.{key} = ?2
  AND {alias}.{token} = ?7{of_no_row}{on_conflict}",
            table = target(table),
            columns = part("list of columns", columns),
            row = values(row),
            marked = M::TABLE,
            alias = M::ALIAS,
            joins = joins(joined, &[M::ALIAS]),
            key = M::KEY,
            token = M::TOKEN,
            of_no_row = if is_over_rows(row) {
                format!("\nLIMIT iif({}, -1, 0)", has_token::<M>())
            } else {
                String::new()
            },
            on_conflict = optional_line("conflict", "ON CONFLICT ", on_conflict),
        ))
    }

    /// Rows of `table` change: those for which `which` holds. It may be the marked table, whose
    /// key, version, token and instant are not to be touched, and not that of the receipts.
    ///
    /// # Panics
    /// If a part [would get around the condition](crate::texts#panics).
    #[track_caller]
    pub fn update(table: &str, set: &str, which: &str) -> Self {
        assert!(!is_called(table, M::RECEIPTS), "a receipt of {table} is never changed");
        Self::changing(target(table), set, which)
    }

    #[track_caller]
    fn changing(table: &str, set: &str, which: &str) -> Self {
        Self::linked(format!(
            "UPDATE {table}\nSET {set}\nWHERE ({which})\n  AND {landed}",
            set = changes(set, of_table::<M>(table)),
            which = part("condition", which),
            landed = has_token::<M>(),
        ))
    }

    /// Rows of `table` go: those for which `which` holds. Neither marked rows nor receipts do: a row
    /// without them could not tell any more what became of its batches, this one among them. A row
    /// that is over is marked as such.
    ///
    /// # Panics
    /// If a part [would get around the condition](crate::texts#panics).
    #[track_caller]
    pub fn delete(table: &str, which: &str) -> Self {
        let is_kept = is_called(table, M::TABLE) || is_called(table, M::RECEIPTS);
        assert!(!is_kept, "rows and receipts of {} stay", M::TABLE);
        Self::linked(format!(
            "DELETE FROM {table}\nWHERE ({which})\n  AND {landed}",
            table = target(table),
            which = part("condition", which),
            landed = has_token::<M>(),
        ))
    }

    /// The receipt of the attempt: token, key and version, where the table of the receipts has no
    /// further columns.
    pub fn write_receipt() -> Self {
        let (alias, key, version) = (M::ALIAS, M::KEY, M::VERSION);
        Self::insert(Insert {
            table: M::RECEIPTS,
            columns: &format!("{}, {key}, {version}", M::TOKEN),
            values: &format!("?7, {alias}.{key}, {alias}.{version}"),
            ..Insert::default()
        })
    }

    /// It must write so many rows if the attempt lands, or else everything is rolled back, as
    /// [`StoreErrorKind::Assertion`](fencepost_core::StoreErrorKind). Without this, a statement that
    /// finds no row is no error, here as anywhere in SQL. It costs one statement more.
    ///
    /// ```
    /// # use fencepost_batch::Marked;
    /// # enum Invoice {}
    /// # impl Marked for Invoice {
    /// #     type Key = i64;
    /// #     type LeaseKey = String;
    /// #     const TABLE: &'static str = "invoices";
    /// #     const KEY: &'static str = "invoice_id";
    /// #     const RECEIPTS: &'static str = "invoice_receipts";
    /// #     fn lease_key(key: &i64) -> String { format!("invoice:{key}") }
    /// # }
    /// fencepost_batch::sql_texts! {
    ///     /// `?8` is the customer.
    ///     CREDIT: fencepost_batch::Linked<Invoice> = "invoices/credit",
    ///         fencepost_batch::Sql::update("customers", "credits = credits + 1", "customer_id = ?8").exactly(1);
    /// }
    /// assert_eq!(texts().len(), 2);
    /// ```
    #[must_use]
    pub fn exactly(self, rows: u32) -> Self {
        self.counted(Count { rows: rows.to_string(), landed: has_token::<M>() })
    }

    /// As [`exactly`](Self::exactly), where it is data how many: `rows` is an expression over the
    /// parameters of the statement, or further ones, such as `(SELECT e.receivers FROM events AS e WHERE e.event_id =
    /// ?2)`, for a number that the marking statement has written. NULL is no number of rows.
    ///
    /// # Panics
    /// If it is no [part](crate::texts#panics).
    #[must_use]
    #[track_caller]
    pub fn exactly_as(self, rows: &str) -> Self {
        self.counted(Count { rows: part("number of rows", rows).to_owned(), landed: has_token::<M>() })
    }

    /// The lease has done its work. It belongs to the end of a chain, for nobody to wait until it
    /// ends by itself.
    pub fn release_lease() -> Self {
        let (table, alias, key, at) = (M::TABLE, M::ALIAS, M::KEY, M::AT);
        let set = format!(
            "expires_at = 0,\n    updated_at = \
             (SELECT {alias}.{at} FROM {table} AS {alias} WHERE {alias}.{key} = ?2)"
        );
        Self::changing(lease_store::TABLE, &set, "key = ?3 AND owner_id = ?4 AND fence = ?5")
    }
}

/// How many rows a statement must write.
pub(crate) struct Count {
    /// An expression.
    rows: String,
    /// Whether the attempt has landed: otherwise it writes none.
    landed: String,
}

impl Count {
    /// What asserts it of the statement that was run before.
    pub(crate) fn asserted_of(self, name: &str) -> String {
        let Self { rows, landed } = self;
        let wrong = format!("changes() IS NOT ({rows}) AND {landed}");
        let told = format!(
            "'{ASSERTION} {name} wrote ' || changes() || ' rows instead of ' || coalesce({rows}, 'NULL')"
        );
        format!("SELECT\n  {} AS assertion", raised_by(&format!("WHEN {wrong}\n      THEN {told}"), "'$'"))
    }
}

/// Those of a table that is called so.
fn of_table<M: Marked>(table: &str) -> &'static [&'static str] {
    if is_called(table, M::TABLE) { kept::<M>() } else { &[] }
}

fn is_called(table: &str, name: &str) -> bool {
    table.eq_ignore_ascii_case(name)
}

/// The name of a table that a linked statement may write to.
///
/// # Panics
/// If it is not: a fence that fell would make a lease of one that is lost.
#[track_caller]
fn target(table: &str) -> &str {
    assert!(!is_called(table, lease_store::TABLE), "leases change by claims and releases alone");
    name("name of a table", table)
}
