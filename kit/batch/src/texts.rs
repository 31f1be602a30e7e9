//! The texts of a guarded batch, put together so that no condition can be forgotten.
//!
//! Each kind is a type of its own:
//!
//! | kind | made by | what it does |
//! |---|---|---|
//! | [`Marking`] | [`insert_marked`](Sql::insert_marked), [`update_marked`](Sql::update_marked) | changes the row under the guard, and leaves the token on it |
//! | [`Linked`] | [`insert`](Sql::insert), [`update`](Sql::update), [`delete`](Sql::delete), [`write_receipt`](Sql::write_receipt), [`release_lease`](Sql::release_lease) | comes after it, on the condition that the token is there |
//! | [`ReadBack`] | [`of_guard`](Sql::of_guard) | ends the batch: tells what happened, and asserts what must hold, landed or not |
//! | [`Raising`] | [`raising`](Sql::raising) | ends a rehearsal instead, which is not kept |
//! | [`Tracing`] | [`receipts`](Sql::receipts) | is no part of a batch: looks for the receipts of attempts without an answer |
//!
//! What is asserted in any case is that token and receipt are together, and that the version is
//! that of the newest receipt. A linked statement that could write less or more than its share says
//! how many rows it must write ([`exactly`](Sql::exactly)). What else must hold, say by an
//! assertion of your own: that a sum is what it was, that a row is there. Assertions are asked after
//! every batch, landed or not, and also where there is no row; one that is NULL has failed. So begin
//! them with what makes them hold there: `NOT EXISTS (…) OR …`.
//!
//! Whoever declares a text gives its parts. The conditions are put in here, and there is no
//! other way to make a text of one of these kinds.
//!
//! # Parameters
//!
//! Their numbers are the same in every text of a batch: those of the [`Guard`] up to `?7`, and from
//! `?8` on those that the statement is given besides. A linked text has all of them but the clock
//! argument, `?1`: the clock goes on between two statements, so it takes the instant of the change
//! from the marked row.
//!
//! # Panics
//!
//! A part that would get around the conditions is refused: one that closes a parenthesis which it
//! did not open, has a clause such as WHERE outside of parentheses, ends the statement, begins a
//! comment, quotes a name, has a parameter without a number, joins something under a name that is
//! taken, or computes a value over rows, since `count(*)` of no rows is a row. So is one that would
//! write what only the batch itself may: key, version, token and instant of a row that is there, its
//! receipt by halves, a lease. Every function here panics at such a part. Texts are built when they
//! are first used, so a test that calls `texts()` finds all of them.

use std::{fmt, iter, marker::PhantomData};

use crate::{
    Guard, Marked, SqlText,
    clock::CLOCK,
    fragment::{self, changes, is_over_rows, optional_line, part, told, values},
    guard::{Conditions, TOLD},
    linked::Count,
    marked::{has_token, version},
};

pub use crate::linked::Insert;

/// How the message of a failed assertion begins, wherever the store puts it.
pub const ASSERTION: &str = "assertion failed:";

/// The assertion that the message of a store's error tells of, without what the store has put
/// around it; `None` if it is another error. For adapters.
///
/// ```
/// use fencepost_batch::texts::failed_assertion;
///
/// let message = "bad JSON path: 'assertion failed: stock is negative': SQLITE_ERROR";
/// assert_eq!(failed_assertion(message), Some("assertion failed: stock is negative"));
/// assert_eq!(failed_assertion("no such table: stock"), None);
/// ```
pub fn failed_assertion(message: &str) -> Option<&str> {
    let (_, failed) = message.split_once(ASSERTION)?;
    let start = message.len() - failed.len() - ASSERTION.len();
    let end = failed.find('\'').map_or(message.len(), |end| message.len() - failed.len() + end);
    Some(&message[start..end])
}

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
/// #     fn lease_key(key: &i64) -> String { format!("invoice:{key}") }
/// # }
/// use fencepost_batch::{Linked, Sql, Text};
///
/// let sent = Sql::<Linked<Invoice>>::update("outbox", "sent_at = NULL", "invoice_id = ?2");
/// let text = Text::new("invoices/send_again", sent);
/// assert_eq!(text.as_ref().sql(), "\
/// UPDATE outbox
/// SET sent_at = NULL
/// WHERE (invoice_id = ?2)
///   AND EXISTS (SELECT 1 FROM invoices AS marked WHERE marked.invoice_id = ?2 AND marked.commit_token = ?7)");
/// ```
pub struct Sql<K> {
    sql: String,
    /// Those of its guard.
    conditions: Conditions,
    /// How many rows it must write, if that is known.
    count: Option<Count>,
    kind: PhantomData<fn() -> K>,
}

impl<K> Sql<K> {
    pub(crate) fn of(sql: String) -> Self {
        Self { sql, conditions: Conditions::new(), count: None, kind: PhantomData }
    }

    fn under(self, conditions: Conditions) -> Self {
        Self { conditions, ..self }
    }

    pub(crate) fn counted(self, count: Count) -> Self {
        Self { count: Some(count), ..self }
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
    conditions: Conditions,
    /// What asks, after the statement, how many rows it has written.
    count: Option<SqlText>,
    kind: PhantomData<fn() -> K>,
}

impl<K> Text<K> {
    /// A text with a name, which logs, metrics and errors call it by.
    ///
    /// # Panics
    /// If D1 would not take it: see [`SqlText::new`].
    #[track_caller]
    pub fn new(name: &'static str, sql: Sql<K>) -> Self {
        let Sql { sql, conditions, count, kind } = sql;
        let count = count.map(|count| SqlText::new(name, count.asserted_of(name)));
        Self { text: SqlText::new(name, sql), conditions, count, kind }
    }

    /// The conditions of its guard, if it has one.
    pub(crate) fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// What asks, after the statement, how many rows it has written.
    pub(crate) fn count(&self) -> Option<&SqlText> {
        self.count.as_ref()
    }

    #[doc(hidden)]
    pub fn listed(&'static self) -> impl Iterator<Item = &'static SqlText> {
        iter::once(&self.text).chain(&self.count)
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
    /// what the row has besides key, version, token and instant. It may look at `clock.now`. A row
    /// that is there already is at another version than 0, so the guard says no.
    ///
    /// # Panics
    /// If a part [would get around the guard](self#panics).
    #[track_caller]
    pub fn insert_marked(columns: &str, row: &str, guard: &Guard<M>) -> Self {
        let (columns, values) = (fragment::columns(columns, kept::<M>()), values(row));
        Self::of(format!(
            "\
INSERT INTO {table} ({key}, {version}, {token}, {at}, {columns})
SELECT ?2, CAST(?6 AS INTEGER) + 1, ?7, clock.now, {values}
FROM {CLOCK}
WHERE {guard}{of_no_row}",
            table = M::TABLE,
            key = M::KEY,
            version = M::VERSION,
            token = M::TOKEN,
            at = M::AT,
            guard = guard.conjunction(),
            of_no_row = if is_over_rows(values) { "\nGROUP BY clock.now" } else { "" },
        ))
        .under(guard.to_conditions())
    }

    /// A row changes. The parameters are those of the [`Guard`]; `set` is what becomes of
    /// the columns besides version, token and instant. It may look at `clock.now`.
    ///
    /// # Panics
    /// If a part [would get around the guard](self#panics).
    #[track_caller]
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
            set = changes(set, kept::<M>()),
            key = M::KEY,
            guard = guard.conjunction(),
        ))
        .under(guard.to_conditions())
    }
}

/// The columns that a batch changes by itself.
pub(crate) const fn kept<M: Marked>() -> &'static [&'static str] {
    const { &[M::KEY, M::VERSION, M::TOKEN, M::AT] }
}

/// What must hold after every batch, landed or not: what is wrong if it does not, without an
/// apostrophe, and an expression, over the parameters of the guard. NULL does not hold.
pub type Assertion = (&'static str, String);

impl<M: Marked> Sql<ReadBack<M>> {
    /// Tells whether the attempt landed, and of each condition whether it holds now. The
    /// parameters are those of the guard. `columns` are told besides, each with `AS` and a
    /// name, which is none of a condition; there may be none.
    ///
    /// Two assertions are always made: that token and receipt are together, and that the
    /// row is at the version of its newest receipt. So a batch that lands and writes no receipt
    /// is rolled back, as [`StoreErrorKind::Assertion`](fencepost_core::StoreErrorKind).
    ///
    /// # Panics
    /// If a part [would get around what is added](self#panics).
    #[track_caller]
    pub fn of_guard(guard: &Guard<M>, assertions: &[Assertion], columns: &str) -> Self {
        let taken: Vec<_> = TOLD.into_iter().chain(guard.names()).collect();
        let columns =
            if columns.is_empty() { String::new() } else { format!("{},\n  ", told(columns, &taken)) };
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
        Self::of(sql).under(guard.to_conditions())
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
    #[track_caller]
    pub fn raising(assertions: &[Assertion], message: &str) -> Self {
        let raised = asserting::<M>(assertions, part("message", message));
        Self::of(format!("SELECT\n  {raised} AS raised\nFROM {CLOCK}"))
    }
}

/// Whether the token is on the row: an expression over the parameters of the guard, for what a
/// read-back tells besides.
pub fn landed<M: Marked>() -> String {
    has_token::<M>()
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
    raised_by(&cases.join("\n    "), well)
}

/// Raises what the first of `cases` tells that is one, and otherwise `well`, unless it is a path.
pub(crate) fn raised_by(cases: &str, well: &str) -> String {
    format!("json_extract('{{}}', CASE\n    {cases}\n    ELSE {well} END)")
}

impl<M: Marked> Sql<Tracing<M>> {
    /// Looks for the receipt of one of several tokens. Parameters: `?1` the clock, `?2` the key
    /// of the row, `?3` the tokens, as a list in JSON. It tells `now`, `row_version` and, of the
    /// receipt `r`, the token, the version as `receipt_version`, and whatever `columns` name;
    /// there may be none.
    ///
    /// # Panics
    /// If `columns` are [no list](self#panics).
    #[track_caller]
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
