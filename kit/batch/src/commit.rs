//! Landing a guarded batch: attempts, each with its own token, until the fate of one is known.

use async_trait::async_trait;
use fencepost_core::{
    StoreError,
    attempt::Attempt,
    id::CommitToken,
    landing::{Ended, Landing, Resolved, Verdict, land},
    retry::Patience,
};

use crate::{Change, Guarded, Marked, PlanRunner, Refusal, Row, Store, Text, Tracing, decode, trace};

/// How a change ended: the version that the row has by it; or why it was refused, with what the
/// read-back told besides.
pub type Committed<T = ()> = Ended<i64, Refusal<T>>;

impl<R: PlanRunner> Store<R> {
    /// Attempts a change until it is known what became of it, the lease has run out, or the
    /// budget has.
    ///
    /// `batch` makes the batch of an attempt. It is called once for each, at most
    /// [`TRIES`](fencepost_core::retry::TRIES) times, and the attempt is used up by
    /// [`Chain::begin`](crate::Chain::begin). `tracing` names no columns.
    ///
    /// However it ends, nobody has to wait for the lease: the batch that lands releases it, by
    /// [`release_lease`](crate::Sql::release_lease) among its statements, and if none has landed, it
    /// is released here. If that gets lost, it ends by itself; [`Metered::keeping_a_release`](crate::Metered::keeping_a_release) sees to
    /// it that no budget is in its way. A batch without that statement keeps
    /// the lease for further work, if it lands.
    ///
    /// Of a change that landed, it tells the version that the row has by it. What else a batch has
    /// made, such as a number that it has drawn, is read afterwards: an answer may have been lost, and
    /// a receipt says only that much. Of one that was refused, it tells what the read-back told.
    ///
    /// The first page of this crate has an example from beginning to end.
    ///
    /// # Errors
    /// What no further attempt could mend: a definite refusal, a failed assertion, or a budget
    /// that is used up, and then nothing was written; or no answer to the question what became
    /// of it all.
    ///
    /// # Panics
    /// If `batch` makes a batch of another attempt or of another change than it was asked for:
    /// nobody would look for the receipts of that one.
    pub async fn commit<M, T, F>(
        &self,
        patience: Patience<'_>,
        change: &Change<'_, M>,
        tracing: &'static Text<Tracing<M>>,
        batch: F,
    ) -> Result<Committed<T>, StoreError>
    where
        M: Marked,
        T: Send + 'static,
        M::Key: Send + Sync,
        M::LeaseKey: Send + Sync,
        F: Fn(Attempt) -> Guarded<M, T> + Send + Sync,
    {
        let ended = land(&Proposed { store: self, patience, change, tracing, batch }, patience).await;
        if !matches!(ended, Ok(Ended::Landed(_))) {
            // What has become of it all is told already. A lease that cannot be given back ends by itself.
            self.release(change.lease).await.ok();
        }
        ended
    }
}

struct Proposed<'a, R, M: Marked, F> {
    store: &'a Store<R>,
    patience: Patience<'a>,
    change: &'a Change<'a, M>,
    tracing: &'static Text<Tracing<M>>,
    batch: F,
}

#[async_trait]
impl<R, M, T, F> Landing for Proposed<'_, R, M, F>
where
    R: PlanRunner,
    M: Marked,
    T: Send + 'static,
    M::Key: Send + Sync,
    M::LeaseKey: Send + Sync,
    F: Fn(Attempt) -> Guarded<M, T> + Send + Sync,
{
    type Landed = i64;
    type Refused = Refusal<T>;

    async fn attempt(&self, attempt: Attempt) -> Result<Verdict<i64, Refusal<T>>, StoreError> {
        let expected = self.change.guard_params(attempt.token());
        let batch = (self.batch)(attempt);
        let is_asked_for = batch.params().starts_with(&expected);
        assert!(is_asked_for, "{batch:?} is not of the attempt and change that it was asked for");
        Ok(self.store.batch_one(batch.into_batch()).await?.verdict())
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
