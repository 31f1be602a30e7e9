//! [`JobRuns`] on SQLite.

use std::collections::BTreeMap;

use async_trait::async_trait;
use fencepost_domain::{
    id::{OwnerId, RunId},
    outcome::Outcome,
    time::UnixMillis,
};
use fencepost_ports::{FinishedRun, Job, JobRun, JobRuns, Overview, StoreError};
use fencepost_sql::{job_runs as plan, publication_ledger};

use crate::SqliteStore;

#[async_trait]
impl JobRuns for SqliteStore {
    async fn start(&self, run_id: &RunId, job: Job, owner: &OwnerId) -> Result<UnixMillis, StoreError> {
        self.batch_one(plan::start(run_id, job.as_str(), owner)).await
    }

    async fn finish(
        &self,
        run_id: &RunId,
        counts: &BTreeMap<Outcome, u32>,
        error: Option<&'static str>,
    ) -> Result<FinishedRun, StoreError> {
        let (finished_at, revision) = self.batch_one(plan::finish(run_id, counts, error)).await?;
        Ok(FinishedRun { finished_at, revision })
    }

    async fn overview(&self) -> Result<Overview, StoreError> {
        let row = self.read_one(plan::overview::<JobRun>()).await?;
        let (_, runnable_since, upcoming) = self.read_one(publication_ledger::next_wake()).await?;
        let [scheduled, overdue, processing, blocked, published, withdrawn] = row.counts;
        Ok(Overview {
            now: row.now,
            publication_revision: row.publication_revision,
            bank_revision: row.bank_revision,
            paused: row.paused,
            scheduled,
            overdue,
            processing,
            blocked,
            published,
            withdrawn,
            quota: row.quota,
            next_wake: runnable_since.or(upcoming),
            last_runs: row.last_runs,
        })
    }
}
