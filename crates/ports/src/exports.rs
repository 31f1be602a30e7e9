//! The store, read from one end to the other.

use async_trait::async_trait;
use fencepost_domain::{
    action::LoggedAction, commit::Receipt, export::LedgerRow, id::PuzzleId, puzzle::Puzzle,
    revision::Revision,
};

use crate::StoreError;

/// Everything that an export tells, in pages.
///
/// An adapter MUST give the rows in the order of their keys, each page from the first row
/// behind `after` on, and as many as `limit` says while there are so many. It MUST reach a
/// page by its key, at the same cost wherever it lies.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Exports: Send + Sync {
    /// Puzzles, by their numbers.
    async fn bank(&self, after: Option<PuzzleId>, limit: u32) -> Result<Vec<Puzzle>, StoreError>;

    /// Items and how their pages stand, by the numbers of their puzzles.
    async fn ledger(&self, after: Option<PuzzleId>, limit: u32) -> Result<Vec<LedgerRow>, StoreError>;

    /// The receipts of commits, by revision.
    async fn receipts(&self, after: Revision, limit: u32) -> Result<Vec<Receipt>, StoreError>;

    /// What people did, by number.
    async fn actions(&self, after: i64, limit: u32) -> Result<Vec<LoggedAction>, StoreError>;
}
