//! [`JobRuns`], by plans.

use std::collections::BTreeMap;

use async_trait::async_trait;
use fencepost_domain::{
    action::Actor,
    id::{OwnerId, RunId},
    outcome::Outcome,
    retention::Pruning,
    time::UnixMillis,
};
use fencepost_ports::{FinishedRun, Job, JobRuns, LoggedRun, Overview, StoreError};
use fencepost_sql::{job_runs as plan, publication_ledger};

use crate::{PlanRunner, PlanStore};

#[async_trait]
impl<R: PlanRunner> JobRuns for PlanStore<R> {
    async fn start<'a>(
        &self,
        run_id: &RunId,
        job: Job,
        owner: &OwnerId,
        build: &str,
        by: Option<&'a Actor>,
    ) -> Result<UnixMillis, StoreError> {
        self.0.batch_one(plan::start(run_id, job, owner, build, by)).await
    }

    async fn finish(
        &self,
        run_id: &RunId,
        counts: &BTreeMap<Outcome, u32>,
        error: Option<&'static str>,
        pruning: Option<Pruning>,
    ) -> Result<FinishedRun, StoreError> {
        self.0.batch_one(plan::finish(run_id, counts, error, pruning)).await
    }

    async fn runs(&self, before: Option<i64>, limit: u32) -> Result<Vec<LoggedRun>, StoreError> {
        self.0.read(plan::runs(before, limit)).await
    }

    async fn runs_of(&self, owners: &[OwnerId]) -> Result<Vec<LoggedRun>, StoreError> {
        self.0.read(plan::runs_of(owners)).await
    }

    async fn overview(&self, daily_quota: i64) -> Result<Overview, StoreError> {
        let wake = self.0.read_one(publication_ledger::next_wake(daily_quota)).await?;
        self.0.read_one(plan::overview(wake)).await
    }
}
