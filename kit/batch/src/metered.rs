//! Running plans within the budget of an invocation.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use fencepost_core::{
    StoreError,
    budget::{Budget, Exhausted, Kept},
};

use crate::{Batch, FailingBatch, PlanRunner, Query, lease_store};

/// What it takes to give a lease back: the statement, and a look at the row.
const RELEASE: u32 = 2;

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
    /// What is kept for a release, until there is one that nothing else is left for.
    end: Option<Arc<Mutex<Option<Kept>>>>,
}

impl<R> Metered<R> {
    /// Runs plans on `runner`, within `budget`.
    pub const fn new(runner: R, budget: Budget) -> Self {
        Self { runner, budget, end: None }
    }

    /// Keeps the two calls by which a lease is given back, for a run that comes to the end of its
    /// budget in the middle of its work. Otherwise the lease is in the way of the next run until it
    /// ends by itself. It is for programs that hold one lease at a time.
    ///
    /// ```
    /// use fencepost_batch::{Metered, PlanRunner, Store};
    /// use fencepost_core::budget::Budget;
    ///
    /// fn store<R: PlanRunner>(runner: R) -> Store<Metered<R>> {
    ///     Store::new(Metered::new(runner, Budget::of(50)).keeping_a_release())
    /// }
    /// ```
    #[must_use]
    pub fn keeping_a_release(self) -> Self {
        let end = Some(Arc::new(Mutex::new(Some(self.budget.keep(RELEASE)))));
        Self { end, ..self }
    }

    /// Lets go of what is kept for a release, if this is one.
    fn let_go_for<T>(&self, batch: &Batch<T>) {
        if let (Some(end), true) = (&self.end, lease_store::is_release(batch)) {
            end.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
    }

    fn spend(&self, statements: usize) -> Result<(), Exhausted> {
        self.budget.spend(u32::try_from(statements).unwrap_or(u32::MAX))
    }
}

#[async_trait]
impl<R: PlanRunner> PlanRunner for Metered<R> {
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError> {
        let statements = batch.writes.len().saturating_add(1);
        if self.spend(statements).is_err() {
            self.let_go_for(&batch);
            self.spend(statements)?;
        }
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
