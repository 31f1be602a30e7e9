//! [`ResultsLog`], by plans.

use async_trait::async_trait;
use fencepost_domain::{id::PuzzleId, time::UnixMillis};
use fencepost_ports::{Play, Recorded, ResultReport, ResultsLog, Snapshot, StoreError};
use fencepost_sql::results_log as plan;

use crate::{PlanRunner, PlanStore};

#[async_trait]
impl<R: PlanRunner> ResultsLog for PlanStore<R> {
    async fn report(&self, report: &ResultReport) -> Result<Recorded, StoreError> {
        self.0.batch_one(plan::report(report)).await
    }

    async fn play(&self, now: Option<UnixMillis>, puzzle: PuzzleId) -> Result<Snapshot<Play>, StoreError> {
        self.0.read_one(plan::play(now, puzzle)).await
    }
}
