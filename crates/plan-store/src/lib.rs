//! Every store port, over anything that can run a plan.
//!
//! What a port promises is kept by the texts in `fencepost-sql`; what differs between
//! D1 and SQLite is how a batch is run, how a value is bound and what an error means.
//! So the ports are implemented once, here, and a database's adapter is a
//! [`PlanRunner`]: it runs a batch as a whole and hands the rows back.

use async_trait::async_trait;
use fencepost_ports::{StoreError, StoreErrorKind};
use fencepost_sql::{Batch, FailingBatch, Query, Statement, Value};

mod clock;
pub use clock::StoreClock;

mod metered;
pub use metered::Metered;

mod kept;
use kept::kept;

mod lease_store;

mod publication_ledger;

mod puzzle_bank;

mod source_images;

mod answer_posts;

mod revision_source;

mod results_log;

mod action_log;

mod job_runs;

mod outbox;

mod alert_log;
mod exports;

mod verifier;

/// Runs plans on a database.
///
/// An adapter MUST run a batch as one transaction, all or nothing, with its read-back
/// inside; MUST read from the primary; MUST bind the clock argument wherever a plan asks
/// for it, the same for all statements of a batch; and MUST report every error of which
/// it does not know that nothing was written as unknown.
#[async_trait]
pub trait PlanRunner: Send + Sync {
    /// Runs the writes and returns the rows of the read-back.
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError>;

    /// Returns the rows of a query.
    async fn read<T: Send>(&self, query: Query<T>) -> Result<Vec<T>, StoreError>;

    /// Runs statements of which the last one raises, as one transaction that is rolled back,
    /// and returns what it raised: [`raised`] tells. If nothing is raised, that is the error
    /// [`not_raised`], and never an answer.
    async fn rehearse<T: Send>(&self, batch: FailingBatch<T>) -> Result<T, StoreError>;
}

/// What a failing batch told by its error; or the error, if it is another one.
///
/// # Errors
/// Every error that is not the one that was to be raised.
pub fn raised<T>(batch: &FailingBatch<T>, error: StoreError) -> Result<T, StoreError> {
    match batch.understand(&error.to_string()) {
        Some(told) => told.map_err(|problem| StoreError::corrupt(problem.column(), problem.problem())),
        None => Err(error),
    }
}

/// The error of a batch that was to fail and did not. `is_undone` tells whether its writes
/// were rolled back all the same.
pub fn not_raised<T>(batch: &FailingBatch<T>, is_undone: bool) -> StoreError {
    let name = batch.raise.text().name();
    let (kind, result) = if is_undone {
        (StoreErrorKind::Assertion, "it was rolled back all the same")
    } else {
        (StoreErrorKind::NotUndone, "what it tried has been carried out; pause the site and verify it")
    };
    StoreError::new(kind, format!("{name} did not raise the error that ends a rehearsal; {result}"))
}

/// A store that keeps what the ports promise by running plans.
#[derive(Clone, Debug)]
pub struct PlanStore<R> {
    runner: R,
}

impl<R> PlanStore<R> {
    /// A store on top of `runner`.
    pub const fn new(runner: R) -> Self {
        Self { runner }
    }

    /// Whatever runs the plans.
    pub const fn runner(&self) -> &R {
        &self.runner
    }

    /// Whatever runs the plans, to be put to another use.
    pub fn into_runner(self) -> R {
        self.runner
    }
}

impl<R: PlanRunner> PlanStore<R> {
    /// Runs a batch whose read-back has one row.
    async fn batch_one<T: Send + 'static>(&self, batch: Batch<T>) -> Result<T, StoreError> {
        let name = batch.readback.statement.text().name();
        let (readback, kept) = kept(batch.readback);
        self.run_batch(Batch { writes: batch.writes, readback }).await?;
        only(kept.rows(), name)
    }

    /// Runs a batch whose read-back has at most one row.
    async fn batch_optional<T: Send + 'static>(&self, batch: Batch<T>) -> Result<Option<T>, StoreError> {
        let (readback, kept) = kept(batch.readback);
        self.run_batch(Batch { writes: batch.writes, readback }).await?;
        Ok(kept.rows().into_iter().next())
    }

    /// Reads all rows.
    async fn read<T: Send + 'static>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        let (query, kept) = kept(query);
        self.run_query(query).await?;
        Ok(kept.rows())
    }

    /// Reads the one row.
    async fn read_one<T: Send + 'static>(&self, query: Query<T>) -> Result<T, StoreError> {
        let name = query.statement.text().name();
        let (query, kept) = kept(query);
        self.run_query(query).await?;
        only(kept.rows(), name)
    }

    async fn run_batch(&self, batch: Batch<()>) -> Result<(), StoreError> {
        batch.statements().try_for_each(refuse_oversized)?;
        self.runner.batch(batch).await.map(drop)
    }

    async fn run_query(&self, query: Query<()>) -> Result<(), StoreError> {
        refuse_oversized(&query.statement)?;
        self.runner.read(query).await.map(drop)
    }
}

/// What D1 would not take is refused on every database, and in the runtime in which D1 is
/// tested, which takes twice as much.
fn refuse_oversized(statement: &Statement) -> Result<(), StoreError> {
    let Some((number, bytes)) = statement.oversized() else { return Ok(()) };
    Err(StoreError::refused(format!(
        "{}: parameter {number} has {bytes} bytes, and a text may have {}",
        statement.text().name(),
        Value::MAX_TEXT_BYTES
    )))
}

fn only<T>(rows: Vec<T>, name: &str) -> Result<T, StoreError> {
    let count = rows.len();
    let mut rows = rows.into_iter();
    match (rows.next(), count) {
        (Some(row), 1) => Ok(row),
        _ => Err(miscounted(name, count)),
    }
}

/// A query that has one row, whatever the tables hold, had another number of them.
fn miscounted(name: &str, count: usize) -> StoreError {
    StoreError::corrupt(
        "*",
        format!("{name} gave {count} rows instead of one; is the row of site_state missing?"),
    )
}
