//! The bank of puzzles.

use async_trait::async_trait;
use fencepost_domain::{
    id::{BankVersion, CommitToken, PuzzleId},
    puzzle::PuzzleRow,
};
use serde::Serialize;

use crate::StoreError;

/// The bank of puzzles.
///
/// An adapter MUST write an import as a whole or not at all. A row that equals what is
/// stored changes nothing; `bank_version` grows by one for every row that changes, and
/// `bank_revision` by one for every import that changes a row. A new puzzle gets a
/// `scheduled` item; a changed one that was `blocked` is `scheduled` again. The end of
/// play and the due instant are written once, at a puzzle's first import, and again
/// only when its date of play changes, which a puzzle with a page refuses.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PuzzleBank: Send + Sync {
    /// Imports validated rows.
    async fn import(&self, edit: &BankEdit) -> Result<ImportReadback, StoreError>;

    /// Whether the import with this token landed, to settle one without an answer.
    async fn trace_import(&self, token: &CommitToken) -> Result<Option<ImportReadback>, StoreError>;
}

/// One import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankEdit {
    /// The mark of this attempt, never used before.
    pub token: CommitToken,
    /// The rows, validated as a whole.
    pub rows: Vec<PuzzleRow>,
    /// The grace window for new puzzles, in milliseconds.
    pub grace_ms: i64,
}

/// What an import led to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportReadback {
    /// New puzzles.
    pub inserted: i64,
    /// Puzzles that changed.
    pub updated: i64,
    /// Puzzles that were as imported already.
    pub unchanged: i64,
    /// Imports, edits and reschedules so far.
    pub bank_revision: i64,
    /// Rows for which the whole import was refused; empty when it landed.
    pub refused: Vec<RefusedRow>,
}

/// A row for which an import was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedRow {
    /// The puzzle.
    pub puzzle_id: PuzzleId,
    /// Why.
    pub reason: RowRefusal,
}

/// Why a row was refused by what the bank holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum RowRefusal {
    /// The row replaces another version than the bank's.
    StaleVersion {
        /// The bank's version; `None` when the bank does not have the puzzle.
        stored: Option<BankVersion>,
    },
    /// Another puzzle of the bank is played on that date.
    DateTaken {
        /// That puzzle.
        by: PuzzleId,
    },
    /// The puzzle has a page, so its date is fixed.
    DateFixed,
}
