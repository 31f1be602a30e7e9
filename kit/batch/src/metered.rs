//! Running plans within the budget of an invocation.

use async_trait::async_trait;
use fencepost_core::{
    StoreError,
    budget::{Budget, Exhausted},
};

use crate::{Batch, FailingBatch, PlanRunner, Query};

/// Runs plans as long as the budget allows. Every statement counts as a call, those of a
/// batch too, and whether or not an answer comes back. A plan that is not affordable as a
/// whole is not run: that is the error
/// [`OverBudget`](fencepost_core::StoreErrorKind::OverBudget), and nothing was sent.
///
/// ```
/// use fencepost_batch::{Metered, PlanRunner, Store};
/// use fencepost_core::budget::Budget;
///
/// /// The store of one invocation, which may make fifty calls.
/// fn store_of_an_invocation<R: PlanRunner>(runner: R) -> (Store<Metered<R>>, Budget) {
///     let budget = Budget::of(50);
///     (Store::new(Metered::new(runner, budget.clone())), budget)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Metered<R> {
    runner: R,
    budget: Budget,
}

impl<R> Metered<R> {
    /// Runs plans on `runner`, within `budget`.
    pub const fn new(runner: R, budget: Budget) -> Self {
        Self { runner, budget }
    }

    fn spend(&self, statements: usize) -> Result<(), Exhausted> {
        self.budget.spend(u32::try_from(statements).unwrap_or(u32::MAX))
    }
}

#[async_trait]
impl<R: PlanRunner> PlanRunner for Metered<R> {
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError> {
        self.spend(batch.writes.len().saturating_add(1))?;
        self.runner.batch(batch).await
    }

    async fn read<T: Send>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        self.spend(1)?;
        self.runner.read(query).await
    }

    async fn rehearse<T: Send>(&self, batch: FailingBatch<T>) -> Result<T, StoreError> {
        self.spend(batch.statements().count())?;
        self.runner.rehearse(batch).await
    }
}
