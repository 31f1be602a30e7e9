//! [`PuzzleBank`], by plans.

use async_trait::async_trait;
use fencepost_domain::{
    id::{CommitToken, PuzzleId},
    puzzle::Puzzle,
};
use fencepost_ports::{BankEdit, ImportReadback, PuzzleBank, StoreError};
use fencepost_sql::puzzle_bank as plan;

use crate::{PlanRunner, PlanStore};

#[async_trait]
impl<R: PlanRunner> PuzzleBank for PlanStore<R> {
    async fn import(&self, edit: &BankEdit) -> Result<ImportReadback, StoreError> {
        self.0.batch_one(plan::import(edit)).await
    }

    async fn stored(&self, puzzles: &[PuzzleId]) -> Result<Vec<Puzzle>, StoreError> {
        self.0.read(plan::stored(puzzles)).await
    }

    async fn trace_import(&self, token: &CommitToken) -> Result<Option<ImportReadback>, StoreError> {
        self.0.read_one(plan::trace(token)).await
    }
}
