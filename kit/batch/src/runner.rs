//! Whatever runs plans on a database.

use std::sync::Arc;

use async_trait::async_trait;
use fencepost_core::{StoreError, StoreErrorKind};

use crate::{Batch, FailingBatch, Query};

/// Runs plans on a database.
///
/// An adapter MUST run a batch as one transaction, all or nothing, with its read-back
/// inside; MUST read from the primary; MUST bind the clock argument wherever a plan asks
/// for it, the same for all statements of a batch; and MUST report every error of which
/// it does not know that nothing was written as unknown. An error whose message has
/// [`ASSERTION`](crate::texts::ASSERTION) in it is
/// [`Assertion`](StoreErrorKind::Assertion), and nothing was written.
///
/// A runner that is wrapped by another one can lose answers, count or delay: this is where a
/// test plays a store that misbehaves.
#[async_trait]
pub trait PlanRunner: Send + Sync {
    /// Runs the writes and returns the rows of the read-back.
    ///
    /// # Errors
    /// A store that misbehaved. Whether anything was written, the kind of the error tells.
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError>;

    /// Returns the rows of a query.
    ///
    /// # Errors
    /// A store that misbehaved.
    async fn read<T: Send>(&self, query: Query<T>) -> Result<Vec<T>, StoreError>;

    /// Runs statements of which the last one raises, as one transaction that is rolled back,
    /// and returns what it raised: [`raised`] tells. If nothing is raised, that is the error
    /// [`not_raised`], and never an answer.
    ///
    /// # Errors
    /// Every error but the one that was to be raised, and [`not_raised`].
    async fn rehearse<T: Send>(&self, batch: FailingBatch<T>) -> Result<T, StoreError>;
}

#[async_trait]
impl<R: PlanRunner> PlanRunner for &R {
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError> {
        (**self).batch(batch).await
    }

    async fn read<T: Send>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        (**self).read(query).await
    }

    async fn rehearse<T: Send>(&self, batch: FailingBatch<T>) -> Result<T, StoreError> {
        (**self).rehearse(batch).await
    }
}

#[async_trait]
impl<R: PlanRunner> PlanRunner for Arc<R> {
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError> {
        (**self).batch(batch).await
    }

    async fn read<T: Send>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        (**self).read(query).await
    }

    async fn rehearse<T: Send>(&self, batch: FailingBatch<T>) -> Result<T, StoreError> {
        (**self).rehearse(batch).await
    }
}

/// What a failing batch told by its error, for adapters; or the error, if it is another one.
///
/// # Errors
/// Every error that is not the one that was to be raised.
pub fn raised<T>(batch: &FailingBatch<T>, error: StoreError) -> Result<T, StoreError> {
    match batch.understand(&error.to_string()) {
        Some(told) => told.map_err(|problem| StoreError::corrupt(problem.column(), problem.problem())),
        None => Err(error),
    }
}

/// The error of a batch that was to fail and did not, for adapters. `is_undone` tells whether its
/// writes were rolled back all the same.
pub fn not_raised<T>(batch: &FailingBatch<T>, is_undone: bool) -> StoreError {
    let name = batch.raise.text().name();
    let (kind, result) = if is_undone {
        (StoreErrorKind::Assertion, "it was rolled back all the same")
    } else {
        (StoreErrorKind::NotUndone, "what it tried has been carried out; stop whatever writes, and verify it")
    };
    StoreError::new(kind, format!("{name} did not raise the error that ends a rehearsal; {result}"))
}
