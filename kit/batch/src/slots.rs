//! Slots that are given out one by one, up to a cap, in one statement.
//!
//! "The first thousand get in", and each of them once. Nobody has to count first: the statement
//! that writes a row looks the last slot up, takes the next one, and writes nothing if that would
//! be beyond the cap or if whoever asks has a row already. Two of them cannot get the same slot,
//! since a statement is atomic. The next slot is `max + 1`, which SQLite finds in the last
//! entry of an index: the cost does not grow with the number of rows, as that of `count(*)` would.
//!
//! What came of it is told by the row of whoever asked, if it has a mark that this try has drawn:
//! neither slot nor instant could tell a second try's row from the first one's. So no lease is
//! needed here and no guard: the statement may be sent again as it is.
//!
//! ```
//! use fencepost_batch::{
//!     Batch, PlanRunner, Query, Sql, Store, decode,
//!     slots::{SlotRow, Slotted, Taking, take_slot},
//!     sql_texts,
//! };
//! use fencepost_core::StoreError;
//!
//! /// ```sql
//! /// CREATE TABLE seats (
//! ///   event_id INTEGER NOT NULL, guest_id TEXT NOT NULL, slot INTEGER NOT NULL, mark TEXT NOT NULL,
//! ///   PRIMARY KEY (event_id, guest_id), UNIQUE (event_id, slot)
//! /// ) STRICT;
//! /// ```
//! enum Seats {}
//!
//! impl Slotted for Seats {
//!     const TABLE: &'static str = "seats";
//!     const GROUP: &'static str = "event_id";
//!     const WHO: &'static str = "guest_id";
//!     const CAP: i64 = 100;
//! }
//!
//! sql_texts! {
//!     /// `?4` is the mark of this try, `?5` until when seats are given.
//!     TAKE: Taking<Seats> = "seats/take", Sql::take_slot(SlotRow {
//!         columns: "mark", values: "?4", joins: "", condition: "clock.now < ?5",
//!     });
//!     READ = "seats/read", "SELECT (SELECT slot FROM seats WHERE event_id = ?1 AND guest_id = ?2 AND mark = ?3) AS slot";
//! }
//!
//! /// The seat that this try took; `None` if the guest has one already, or there is none left.
//! async fn take<R: PlanRunner>(
//!     store: &Store<R>, event: i64, guest: &str, mark: &str, until: i64,
//! ) -> Result<Option<i64>, StoreError> {
//!     let write = take_slot(&TAKE, event, guest, [mark.into(), until.into()]);
//!     let readback = Query::new(&READ, vec![event.into(), guest.into(), mark.into()], |row| row.integer("slot"));
//!     store.batch_one(Batch { writes: vec![write], readback }).await
//! }
//! # assert_eq!(TAKE.as_ref().arity(), 5);
//! ```

use crate::{
    Sql, Statement, Text, Value,
    clock::CLOCK,
    fragment::{is_over_rows, joins, part, values},
};

/// A table of slots: each row has a group, such as a day, somebody in it, and a number.
///
/// The table needs a key `(GROUP, WHO)` and an index on `(GROUP, SLOT)`, both of them unique.
pub trait Slotted: 'static {
    /// The table.
    const TABLE: &'static str;
    /// The column of the group.
    const GROUP: &'static str;
    /// The column of whoever has the slot.
    const WHO: &'static str;
    /// The column of the slot's number, from 1.
    const SLOT: &'static str = "slot";
    /// How many slots a group has.
    const CAP: i64;
}

/// The kind of text that takes a slot of `S`.
pub struct Taking<S>(std::marker::PhantomData<S>);

/// What a row in a slot has besides, and on what condition it is written.
///
/// Parameters: `?1` the clock argument, whose instant is `clock.now`; `?2` the group, `?3` who
/// asks; from `?4` on those of one's own. The slot that would be taken is `next.slot`.
#[derive(Clone, Copy, Debug)]
pub struct SlotRow<'a> {
    /// The columns.
    pub columns: &'a str,
    /// What they get.
    pub values: &'a str,
    /// What is joined, if anything.
    pub joins: &'a str,
    /// The condition, such as `clock.now < ?4`.
    pub condition: &'a str,
}

/// The highest slot of the group `?2` that is taken, as an expression; NULL if there is none.
pub fn last_slot<S: Slotted>() -> String {
    let (table, slot, group) = (S::TABLE, S::SLOT, S::GROUP);
    format!("(SELECT max(taken.{slot}) FROM {table} AS taken WHERE taken.{group} = ?2)")
}

impl<S: Slotted> Sql<Taking<S>> {
    /// Takes the next slot: if the condition holds, while there is room, and once for each.
    ///
    /// # Panics
    /// If a part [would get around the condition](crate::texts#panics).
    #[track_caller]
    pub fn take_slot(slot: SlotRow<'_>) -> Self {
        let SlotRow { columns, values: row, joins: joined, condition } = slot;
        Self::of(format!(
            "\
INSERT INTO {table} ({group}, {who}, {number}, {columns})
SELECT ?2, ?3, next.slot, {row}
FROM {CLOCK}
JOIN (SELECT coalesce({last}, 0) + 1 AS slot) AS next{joins}
WHERE ({condition})
  AND next.slot <= {cap}{of_no_row}
ON CONFLICT ({group}, {who}) DO NOTHING",
            table = S::TABLE,
            group = S::GROUP,
            who = S::WHO,
            number = S::SLOT,
            columns = part("list of columns", columns),
            row = values(row),
            last = last_slot::<S>(),
            joins = joins(joined, &["clock", "next"]),
            condition = part("condition", condition),
            cap = S::CAP,
            of_no_row = if is_over_rows(row) { "\nGROUP BY next.slot" } else { "" },
        ))
    }
}

/// Asks for a slot of `group` for `who`. `own` are the parameters from `?4` on.
///
/// # Panics
/// If there are not as many parameters of one's own as the text has.
pub fn take_slot<S: Slotted>(
    text: &'static Text<Taking<S>>,
    group: impl Into<Value>,
    who: impl Into<Value>,
    own: impl IntoIterator<Item = Value>,
) -> Statement {
    let params = [Value::Clock, group.into(), who.into()].into_iter().chain(own).collect();
    Statement::new(text.as_ref(), params)
}
