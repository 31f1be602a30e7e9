//! Landing a guarded batch: attempts, each with its own token, until the fate of one is known.

use std::fmt::Display;

use async_trait::async_trait;
use fencepost_core::{
    StoreError,
    attempt::Attempt,
    id::CommitToken,
    landing::{Ended, Landing, Resolved, Verdict, land},
    retry::Patience,
};

use crate::{Batch, Change, Marked, PlanRunner, Row, Store, Text, Told, Tracing, decode, trace};

/// How a change ended: the version that the row has by it; or the names of the conditions that
/// did not hold.
pub type Committed = Ended<i64, Vec<&'static str>>;

impl<R: PlanRunner> Store<R> {
    /// Attempts a change until it is known what became of it, the lease has run out, or the
    /// budget has.
    ///
    /// `batch` makes the batch of an attempt. It is called once for each, and the attempt is
    /// used up by [`Chain::begin`](crate::Chain::begin). `tracing` names no columns.
    ///
    /// # Errors
    /// What no further attempt could mend: a definite refusal, a failed assertion, or a budget
    /// that is used up, and then nothing was written; or no answer to the question what became
    /// of it all.
    pub async fn commit<M, K, F>(
        &self,
        patience: Patience<'_>,
        change: &Change<'_, M, K>,
        tracing: &'static Text<Tracing<M>>,
        batch: F,
    ) -> Result<Committed, StoreError>
    where
        M: Marked,
        M::Key: Send + Sync,
        K: Display + Send + Sync,
        F: Fn(Attempt) -> Batch<Told<()>> + Send + Sync,
    {
        land(&Proposed { store: self, patience, change, tracing, batch }, patience).await
    }
}

struct Proposed<'a, R, M: Marked, K, F> {
    store: &'a Store<R>,
    patience: Patience<'a>,
    change: &'a Change<'a, M, K>,
    tracing: &'static Text<Tracing<M>>,
    batch: F,
}

#[async_trait]
impl<R, M, K, F> Landing for Proposed<'_, R, M, K, F>
where
    R: PlanRunner,
    M: Marked,
    M::Key: Send + Sync,
    K: Display + Send + Sync,
    F: Fn(Attempt) -> Batch<Told<()>> + Send + Sync,
{
    type Landed = i64;
    type Refused = Vec<&'static str>;

    async fn attempt(&self, attempt: Attempt) -> Result<Verdict<i64, Vec<&'static str>>, StoreError> {
        Ok(self.store.batch_one((self.batch)(attempt)).await?.verdict())
    }

    async fn resolve(&self, tokens: &[CommitToken]) -> Resolved<i64> {
        let ask = || {
            let version = |row: &dyn Row| decode::integer(row, "receipt_version");
            self.store.read_one(trace(self.tracing, self.change, tokens, version))
        };
        match self.patience.persistently(ask).await {
            Ok(trace) => trace.judge(self.change.lease.expires_at),
            Err(error) => Resolved::silence(error),
        }
    }
}
