//! The bank of puzzles.

use async_trait::async_trait;
use fencepost_domain::{
    bank_edit::{BankEdit, ImportReadback},
    id::{CommitToken, PuzzleId},
    puzzle::Puzzle,
};

use crate::StoreError;

/// The bank of puzzles.
///
/// An adapter MUST write an import as a whole or not at all. A row that equals what is
/// stored changes nothing; `bank_version` grows by one for every row that changes, and
/// `bank_revision` by one for every import that changes a row. A new puzzle gets a
/// `scheduled` item; a changed one that is not out is `scheduled` again, whoever has it in
/// hand. The end of play and the due instant are written once, at a puzzle's first
/// import, and again only when its date of play changes, which a puzzle with a page
/// refuses; an answer that was postponed is never brought forward by that. The instants of
/// a new or changed puzzle MUST be in the visibility calendar when its import lands.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PuzzleBank: Send + Sync {
    /// Imports validated rows, and traces who did, if that changed anything.
    async fn import(&self, edit: &BankEdit) -> Result<ImportReadback, StoreError>;

    /// The puzzles of the bank among these, by number, in the order of their numbers.
    async fn stored(&self, puzzles: &[PuzzleId]) -> Result<Vec<Puzzle>, StoreError>;

    /// Whether the import with this token landed, to settle one without an answer.
    async fn trace_import(&self, token: &CommitToken) -> Result<Option<ImportReadback>, StoreError>;
}
