//! The heartbeat: one row per run of a job.

use std::collections::BTreeMap;

use async_trait::async_trait;
use fencepost_domain::{
    action::Actor,
    id::{OwnerId, RunId},
    job::{FinishedRun, Job, LoggedRun, Overview},
    outcome::Outcome,
    retention::Pruning,
    time::UnixMillis,
};

use crate::StoreError;

/// The log of runs, and the overview for people.
///
/// An adapter MUST stamp both ends of a run with the store's clock.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait JobRuns: Send + Sync {
    /// Records that a run has begun, by which build, and who wanted it, if a person did; returns
    /// the instant.
    /// Saying so twice changes nothing.
    async fn start<'a>(
        &self,
        run_id: &RunId,
        job: Job,
        owner: &OwnerId,
        build: &str,
        by: Option<&'a Actor>,
    ) -> Result<UnixMillis, StoreError>;

    /// Records that a run has ended; returns the instant, the revision then, and how much was
    /// left. With it, rows are forgotten that are old at that instant, if that is wanted: an
    /// adapter MUST leave alone what [`retention`](fencepost_domain::retention) says is kept,
    /// and MUST look at no more rows than that allows.
    async fn finish(
        &self,
        run_id: &RunId,
        counts: &BTreeMap<Outcome, u32>,
        error: Option<&'static str>,
        pruning: Option<Pruning>,
    ) -> Result<FinishedRun, StoreError>;

    /// Runs, the newest first: those numbered below `before`, at most `limit`.
    async fn runs(&self, before: Option<i64>, limit: u32) -> Result<Vec<LoggedRun>, StoreError>;

    /// The runs of these owners, in any order.
    async fn runs_of(&self, owners: &[OwnerId]) -> Result<Vec<LoggedRun>, StoreError>;

    /// What a person wants to know at a glance, under a daily quota.
    async fn overview(&self, daily_quota: i64) -> Result<Overview, StoreError>;
}
