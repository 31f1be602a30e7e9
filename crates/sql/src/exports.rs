//! The store, read from one end to the other: pages that go on behind a key.

use fencepost_domain::{
    action::LoggedAction,
    commit::Receipt,
    export::{LedgerPage, LedgerRow},
    id::{BankVersion, ContentVersion, PuzzleId},
    puzzle::Puzzle,
    revision::Revision,
};

use crate::{
    DecodeError, Query, Row, Value,
    action_log::{LOGGED_COLUMNS, logged},
    decode::{self, ITEM_COLUMNS, PUZZLE_COLUMNS},
    sql_texts,
};

sql_texts! {
    /// Puzzles, by their numbers.
    BANK = "exports/bank", format!("\
SELECT {PUZZLE_COLUMNS}
FROM puzzles AS p
WHERE p.puzzle_id > ?1
ORDER BY p.puzzle_id
LIMIT CAST(?2 AS INTEGER)");
    /// Items and how their pages stand, by the numbers of their puzzles.
    LEDGER = "exports/ledger", format!("\
SELECT p.puzzle_id, p.play_date, p.bank_version, {ITEM_COLUMNS}, coalesce(a.content_version, 0) AS page_version,
  a.bank_version AS page_bank_version, a.indexable, a.image_key, a.published_at, a.updated_at, a.withdrawn_at
FROM puzzles AS p
JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
LEFT JOIN answer_posts AS a ON a.puzzle_id = p.puzzle_id
WHERE p.puzzle_id > ?1
ORDER BY p.puzzle_id
LIMIT CAST(?2 AS INTEGER)");
    /// The receipts of commits, by revision.
    RECEIPTS = "exports/receipts", "\
SELECT c.commit_token, c.puzzle_id, c.kind, c.owner_id, c.fence, c.content_version, c.revision, c.committed_at
FROM commit_receipts AS c
WHERE c.revision > ?1
ORDER BY c.revision
LIMIT CAST(?2 AS INTEGER)";
    /// What people did, by number.
    ACTIONS = "exports/actions", format!("\
SELECT {LOGGED_COLUMNS}
FROM operator_actions AS o
WHERE o.rowid > CAST(?1 AS INTEGER)
ORDER BY o.rowid
LIMIT CAST(?2 AS INTEGER)");
}

fn page(after: i64, limit: u32) -> Vec<Value> {
    vec![after.into(), i64::from(limit).into()]
}

/// Puzzles, by their numbers.
pub fn bank(after: Option<PuzzleId>, limit: u32) -> Query<Puzzle> {
    Query::new(&BANK, page(after.map_or(0, PuzzleId::get), limit), |row| {
        decode::required(decode::optional_puzzle(row)?, "opens_at")
    })
}

/// Items and how their pages stand, by the numbers of their puzzles.
pub fn ledger(after: Option<PuzzleId>, limit: u32) -> Query<LedgerRow> {
    Query::new(&LEDGER, page(after.map_or(0, PuzzleId::get), limit), |row| {
        Ok(LedgerRow {
            puzzle_id: decode::puzzle_id(row, "puzzle_id")?,
            play_date: decode::parsed(row, "play_date")?,
            bank_version: BankVersion::new(decode::integer(row, "bank_version")?),
            item: decode::required(decode::optional_item(row)?, "state")?,
            content_version: ContentVersion::new(decode::integer(row, "page_version")?),
            page: ledger_page(row)?,
        })
    })
}

fn ledger_page(row: &dyn Row) -> Result<LedgerPage, DecodeError> {
    Ok(LedgerPage {
        page_bank_version: row.integer("page_bank_version")?.map(BankVersion::new),
        indexable: row.integer("indexable")?.map(|flag| flag != 0),
        image_key: decode::optional_parsed(row, "image_key")?,
        published_at: decode::optional_instant(row, "published_at")?,
        updated_at: decode::optional_instant(row, "updated_at")?,
        withdrawn_at: decode::optional_instant(row, "withdrawn_at")?,
    })
}

/// The receipts of commits, by revision.
pub fn receipts(after: Revision, limit: u32) -> Query<Receipt> {
    Query::new(&RECEIPTS, page(after.get(), limit), decode::receipt)
}

/// What people did, by number.
pub fn actions(after: i64, limit: u32) -> Query<LoggedAction> {
    Query::new(&ACTIONS, page(after, limit), logged)
}
