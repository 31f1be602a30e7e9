//! An import into the bank, and what it led to.

use serde::Serialize;

use crate::{
    action::Actor,
    id::{BankVersion, CommitToken, PuzzleId},
    puzzle::PuzzleRow,
};

/// One import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankEdit {
    /// The mark of this attempt, never used before.
    pub token: CommitToken,
    /// The rows, validated as a whole.
    pub rows: Vec<PuzzleRow>,
    /// The grace window for new puzzles, in milliseconds.
    pub grace_ms: i64,
    /// Who imports them; the trace has the token of the edit.
    pub by: Actor,
    /// The one puzzle that somebody edits, whose number the trace then has; `None` for an
    /// import.
    pub edits: Option<PuzzleId>,
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
