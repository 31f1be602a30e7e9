//! The texts of a guarded batch, put together so that no condition can be forgotten.
//!
//! Each kind is a type of its own:
//!
//! | kind | made by | what it does |
//! |---|---|---|
//! | [`Marking`] | [`insert_marked`](Sql::insert_marked), [`update_marked`](Sql::update_marked) | changes the row under the guard, and leaves the token on it |
//! | [`Linked`] | [`insert`](Sql::insert), [`update`](Sql::update), [`delete`](Sql::delete), [`release_lease`](Sql::release_lease) | comes after it, on the condition that the token is there |
//! | [`ReadBack`] | [`of_guard`](Sql::of_guard) | ends the batch: tells what happened, and asserts what must hold, landed or not |
//! | [`Raising`] | [`raising`](Sql::raising) | ends a rehearsal instead, which is not kept |
//! | [`Tracing`] | [`receipts`](Sql::receipts) | is no part of a batch: looks for the receipts of attempts without an answer |
//!
//! What is asserted in any case is that token and receipt are together, and that the version is
//! that of the newest receipt. If a statement of your own could write less or more than its share,
//! say so by an assertion of your own: that a sum is what it was, that a row is there. Assertions
//! are asked after every batch, landed or not, and also where there is no row; one that is NULL
//! has failed. So begin them with what makes them hold there: `NOT EXISTS (…) OR …`.
//!
//! Whoever declares a text gives its parts. The conditions are put in here, and there is no
//! other way to make a text of one of these kinds.
//!
//! # Panics
//!
//! A part that would get around the conditions is refused: one that closes a parenthesis which it
//! did not open, has a clause such as WHERE outside of parentheses, ends the statement, begins a
//! comment, quotes a name, has a parameter without a number, or computes a value over rows, since
//! `count(*)` of no rows is a row. Every function here panics at such a part. Texts are built when
//! they are first used, so a test that calls `texts()` finds all of them.

use std::{fmt, marker::PhantomData};

use crate::{
    Guard, Marked, SqlText,
    clock::CLOCK,
    fragment::{self, changes, name, optional_line, part, values},
    marked::{has_token, version},
};

/// How the message of a failed assertion begins, wherever the store puts it.
pub const ASSERTION: &str = "assertion failed:";

/// The kind of text that changes a row of `M` under the guard, and leaves the token on it.
pub struct Marking<M>(PhantomData<M>);

/// The kind of text that is on the condition that the token is on the row of `M`.
pub struct Linked<M>(PhantomData<M>);

/// The kind of text that ends a batch on `M`.
pub struct ReadBack<M>(PhantomData<M>);

/// The kind of text that ends a rehearsal on `M`: it raises, whatever the tables hold.
pub struct Raising<M>(PhantomData<M>);

/// The kind of text that looks for the receipts of attempts on `M` that got no answer.
pub struct Tracing<M>(PhantomData<M>);

/// SQL of some kind, yet without a name.
///
/// ```
/// # use fencepost_batch::{Marked, sql_texts};
/// # enum Invoice {}
/// # impl Marked for Invoice {
/// #     type Key = i64;
/// #     type LeaseKey = String;
/// #     const TABLE: &'static str = "invoices";
/// #     const KEY: &'static str = "invoice_id";
/// #     const RECEIPTS: &'static str = "invoice_receipts";
/// # }
/// use fencepost_batch::{Linked, Sql, Text};
///
/// let sent = Sql::<Linked<Invoice>>::update("outbox", "sent_at = NULL", "invoice_id = ?1");
/// let text = Text::new("invoices/send_again", sent);
/// assert_eq!(text.as_ref().sql(), "\
/// UPDATE outbox
/// SET sent_at = NULL
/// WHERE (invoice_id = ?1)
///   AND EXISTS (SELECT 1 FROM invoices AS marked WHERE marked.invoice_id = ?1 AND marked.commit_token = ?2)");
/// ```
pub struct Sql<K> {
    sql: String,
    conditions: Vec<&'static str>,
    kind: PhantomData<fn() -> K>,
}

impl<K> Sql<K> {
    pub(crate) fn of(sql: String) -> Self {
        Self { sql, conditions: Vec::new(), kind: PhantomData }
    }
}

impl<K> fmt::Debug for Sql<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sql").field(&self.sql).finish()
    }
}

/// A text of some kind. It is declared with [`sql_texts!`](crate::sql_texts).
pub struct Text<K> {
    text: SqlText,
    conditions: Vec<&'static str>,
    kind: PhantomData<fn() -> K>,
}

impl<K> Text<K> {
    /// A text with a name, which logs, metrics and errors call it by.
    ///
    /// # Panics
    /// If D1 would not take it: see [`SqlText::new`].
    pub fn new(name: &'static str, sql: Sql<K>) -> Self {
        Self { text: SqlText::new(name, sql.sql), conditions: sql.conditions, kind: PhantomData }
    }
}

impl<K> fmt::Debug for Text<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl<K> AsRef<SqlText> for Text<K> {
    fn as_ref(&self) -> &SqlText {
        &self.text
    }
}

impl<M: Marked> Sql<Marking<M>> {
    /// A row appears. The parameters are those of the [`Guard`]; `columns` and `row` are
    /// what the row has besides key, version, token and instant. A row that is there already is
    /// at another version than 0, so the guard says no.
    ///
    /// # Panics
    /// If a part [would get around the guard](self#panics).
    pub fn insert_marked(columns: &str, row: &str, guard: &Guard<M>) -> Self {
        let (columns, values) = (fragment::columns(columns, &kept::<M>()), values(row));
        Self::of(format!(
            "\
INSERT INTO {table} ({key}, {version}, {token}, {at}, {columns})
SELECT ?2, CAST(?6 AS INTEGER) + 1, ?7, clock.now, {values}
FROM {CLOCK}
WHERE {guard}",
            table = M::TABLE,
            key = M::KEY,
            version = M::VERSION,
            token = M::TOKEN,
            at = M::AT,
            guard = guard.conjunction(),
        ))
    }

    /// A row changes. The parameters are those of the [`Guard`]; `set` is what becomes of
    /// the columns besides version, token and instant.
    ///
    /// # Panics
    /// If a part [would get around the guard](self#panics).
    pub fn update_marked(set: &str, guard: &Guard<M>) -> Self {
        Self::of(format!(
            "\
UPDATE {table}
SET {version} = {version} + 1,
    {token} = ?7,
    {at} = clock.now,
    {set}
FROM {CLOCK}
WHERE {table}.{key} = ?2
  AND {guard}",
            table = M::TABLE,
            version = M::VERSION,
            token = M::TOKEN,
            at = M::AT,
            set = changes(set, &kept::<M>()),
            key = M::KEY,
            guard = guard.conjunction(),
        ))
    }
}

/// The columns that a batch changes by itself.
const fn kept<M: Marked>() -> [&'static str; 4] {
    [M::KEY, M::VERSION, M::TOKEN, M::AT]
}

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
    /// `(utc_day) DO UPDATE SET count = count + 1`.
    pub on_conflict: &'a str,
}

/// Parameters: `?1` the key of the marked row, `?2` the token; from `?3` on those of one's own.
impl<M: Marked> Sql<Linked<M>> {
    /// Rows are written, as many as the joins make of the marked one.
    ///
    /// # Panics
    /// If a part [would get around the condition](self#panics).
    pub fn insert(insert: Insert<'_>) -> Self {
        let Insert { table, columns, values: row, joins, on_conflict } = insert;
        Self::of(format!(
            "\
INSERT INTO {table} ({columns})
SELECT {row}
FROM {marked} AS {alias}{joins}
WHERE {alias}.{key} = ?1
  AND {alias}.{token} = ?2{on_conflict}",
            table = name("name of a table", table),
            columns = part("list of columns", columns),
            row = values(row),
            marked = M::TABLE,
            alias = M::ALIAS,
            joins = optional_line("join", "", joins),
            key = M::KEY,
            token = M::TOKEN,
            on_conflict = optional_line("conflict", "ON CONFLICT ", on_conflict),
        ))
    }

    /// Rows of `table` change: those for which `which` holds. It may be the marked table, whose
    /// version and token are not to be touched.
    ///
    /// # Panics
    /// If a part [would get around the condition](self#panics).
    pub fn update(table: &str, set: &str, which: &str) -> Self {
        let is_marked = table.eq_ignore_ascii_case(M::TABLE);
        let kept: &[&str] = if is_marked { &kept::<M>() } else { &[] };
        Self::of(format!(
            "UPDATE {table}\nSET {set}\nWHERE ({which})\n  AND {landed}",
            table = name("name of a table", table),
            set = changes(set, kept),
            which = part("condition", which),
            landed = has_token::<M>(1, 2),
        ))
    }

    /// Rows of `table` go: those for which `which` holds.
    ///
    /// # Panics
    /// If a part [would get around the condition](self#panics).
    pub fn delete(table: &str, which: &str) -> Self {
        Self::of(format!(
            "DELETE FROM {table}\nWHERE ({which})\n  AND {landed}",
            table = name("name of a table", table),
            which = part("condition", which),
            landed = has_token::<M>(1, 2),
        ))
    }

    /// The receipt of the attempt: token, key and version, where the table of the receipts has no
    /// further columns.
    pub fn write_receipt() -> Self {
        let (alias, key, version) = (M::ALIAS, M::KEY, M::VERSION);
        Self::insert(Insert {
            table: M::RECEIPTS,
            columns: &format!("{}, {key}, {version}", M::TOKEN),
            values: &format!("?2, {alias}.{key}, {alias}.{version}"),
            ..Insert::default()
        })
    }

    /// The lease has done its work. For [`Chain::release`](crate::Chain::release), which knows
    /// the parameters from `?3` on.
    pub fn release_lease() -> Self {
        let (table, alias, key, at) = (M::TABLE, M::ALIAS, M::KEY, M::AT);
        let set = format!(
            "expires_at = 0,\n    updated_at = \
             (SELECT {alias}.{at} FROM {table} AS {alias} WHERE {alias}.{key} = ?1)"
        );
        Self::update("job_leases", &set, "key = ?3 AND owner_id = ?4 AND fence = ?5")
    }
}

/// What must hold after every batch, landed or not: what is wrong if it does not, without an
/// apostrophe, and an expression, over the parameters of the guard. NULL does not hold.
pub type Assertion = (&'static str, String);

impl<M: Marked> Sql<ReadBack<M>> {
    /// Tells whether the attempt landed, and of each condition whether it holds now. The
    /// parameters are those of the guard. `columns` are told besides, each with `AS` and a
    /// name; there may be none.
    ///
    /// Two assertions are always made: that token and receipt are together, and that the
    /// row is at the version of its newest receipt. So a batch that lands and writes no receipt
    /// is rolled back, as [`StoreErrorKind::Assertion`](fencepost_core::StoreErrorKind).
    ///
    /// # Panics
    /// If a part [would get around what is added](self#panics).
    pub fn of_guard(guard: &Guard<M>, assertions: &[Assertion], columns: &str) -> Self {
        let columns =
            if columns.is_empty() { String::new() } else { format!("{},\n  ", part("columns", columns)) };
        let sql = format!(
            "\
SELECT
  {assertion} AS assertion,
  {landed} AS landed,
  {version} AS row_version,
  {columns}{conditions}
FROM {CLOCK}",
            assertion = asserting::<M>(assertions, "'$'"),
            landed = landed::<M>(),
            version = version::<M>(),
            conditions = guard.columns(),
        );
        Self { conditions: guard.names().collect(), ..Self::of(sql) }
    }
}

impl<M: Marked> Sql<Raising<M>> {
    /// Raises `message` as an error of the store, or what a failed assertion would have raised.
    /// The parameters are those of the guard.
    ///
    /// `message` is an expression that is never NULL and no path of JSON, or nothing is raised,
    /// and what was only to be tried is carried out. The store puts it into the message of its
    /// error, and may repeat it there; [`FailingBatch`](crate::FailingBatch) says how it is read.
    ///
    /// # Panics
    /// If a part [would get around what is added](self#panics).
    pub fn raising(assertions: &[Assertion], message: &str) -> Self {
        let raised = asserting::<M>(assertions, part("message", message));
        Self::of(format!("SELECT\n  {raised} AS raised\nFROM {CLOCK}"))
    }
}

/// Whether the token is on the row: an expression over the parameters of the guard, for what a
/// read-back tells besides.
pub fn landed<M: Marked>() -> String {
    has_token::<M>(2, 7)
}

/// `well` when all is well, and otherwise a path that `json_extract` refuses with a message
/// that names what is not: the only way to raise an error from a SELECT on both D1 and SQLite.
///
/// `well` is an expression for a path: `'$'`, unless an error is wanted in any case.
fn asserting<M: Marked>(assertions: &[Assertion], well: &str) -> String {
    let (receipts, key, token, of_row) = (M::RECEIPTS, M::KEY, M::TOKEN, M::VERSION);
    let own = [
        (
            "token and receipt are not together",
            format!("{} = EXISTS (SELECT 1 FROM {receipts} AS r WHERE r.{token} = ?7)", landed::<M>()),
        ),
        (
            "the version is not that of the newest receipt",
            format!(
                "{} = coalesce((SELECT max(r.{of_row}) FROM {receipts} AS r WHERE r.{key} = ?2), 0)",
                version::<M>()
            ),
        ),
    ];
    let case = |(what, holds): &Assertion| {
        assert!(!what.contains('\''), "the name of an assertion has an apostrophe: {what}");
        format!("WHEN ({}) IS NOT TRUE\n      THEN '{ASSERTION} {what}'", part("assertion", holds))
    };
    let cases: Vec<_> = own.iter().chain(assertions).map(case).collect();
    format!("json_extract('{{}}', CASE\n    {}\n    ELSE {well} END)", cases.join("\n    "))
}

impl<M> Text<ReadBack<M>> {
    /// The names of the conditions that it tells of, which are names of columns.
    pub(crate) fn conditions(&self) -> &[&'static str] {
        &self.conditions
    }
}

impl<M: Marked> Sql<Tracing<M>> {
    /// Looks for the receipt of one of several tokens. Parameters: `?1` the clock, `?2` the key
    /// of the row, `?3` the tokens, as a list in JSON. It tells `now`, `row_version` and, of the
    /// receipt `r`, the token, the version as `receipt_version`, and whatever `columns` name;
    /// there may be none.
    ///
    /// # Panics
    /// If `columns` are [no list](self#panics).
    pub fn receipts(columns: &str) -> Self {
        let (key, token) = (M::KEY, M::TOKEN);
        let columns = optional_line("list of columns", "", columns).replace('\n', ", ");
        Self::of(format!(
            "\
SELECT clock.now,
  {version} AS row_version,
  r.{token}, r.{of_row} AS receipt_version{columns}
FROM {CLOCK}
LEFT JOIN {receipts} AS r ON r.{token} IN (SELECT value FROM json_each(?3)) AND r.{key} = ?2
LIMIT 1",
            version = version::<M>(),
            of_row = M::VERSION,
            receipts = M::RECEIPTS,
        ))
    }
}
