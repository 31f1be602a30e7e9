//! [`Exports`], by plans.

use async_trait::async_trait;
use fencepost_domain::{
    action::LoggedAction, commit::Receipt, export::LedgerRow, id::PuzzleId, puzzle::Puzzle,
    revision::Revision,
};
use fencepost_ports::{Exports, StoreError};
use fencepost_sql::exports as plan;

use crate::{PlanRunner, PlanStore};

#[async_trait]
impl<R: PlanRunner> Exports for PlanStore<R> {
    async fn bank(&self, after: Option<PuzzleId>, limit: u32) -> Result<Vec<Puzzle>, StoreError> {
        self.0.read(plan::bank(after, limit)).await
    }

    async fn ledger(&self, after: Option<PuzzleId>, limit: u32) -> Result<Vec<LedgerRow>, StoreError> {
        self.0.read(plan::ledger(after, limit)).await
    }

    async fn receipts(&self, after: Revision, limit: u32) -> Result<Vec<Receipt>, StoreError> {
        self.0.read(plan::receipts(after, limit)).await
    }

    async fn actions(&self, after: i64, limit: u32) -> Result<Vec<LoggedAction>, StoreError> {
        self.0.read(plan::actions(after, limit)).await
    }
}
