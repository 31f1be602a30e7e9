//! [`ActionLog`], by plans.

use async_trait::async_trait;
use fencepost_domain::{
    action::{Entry, LoggedAction},
    id::PuzzleId,
    time::UnixMillis,
};
use fencepost_ports::{ActionLog, StoreError};
use fencepost_sql::action_log as plan;

use crate::{PlanRunner, PlanStore};

#[async_trait]
impl<R: PlanRunner> ActionLog for PlanStore<R> {
    async fn actions(&self, before: Option<i64>, limit: u32) -> Result<Vec<LoggedAction>, StoreError> {
        self.0.read(plan::actions(before, limit)).await
    }

    async fn record_preview(
        &self,
        entry: &Entry,
        puzzle: PuzzleId,
        expires_at: UnixMillis,
    ) -> Result<(), StoreError> {
        self.0.batch_optional(plan::trace_preview(entry, puzzle, expires_at)).await.map(drop)
    }
}
