//! Plans, run on whatever runs them.

use fencepost_core::StoreError;

use crate::{Batch, FailingBatch, PlanRunner, Query, Statement, Value, kept::kept};

/// A database, by whatever runs plans on it.
///
/// Besides what stands here, leases are claimed with it ([`hold`](Self::hold)) and changes are
/// committed ([`commit`](Self::commit)). Batches that are no guarded ones can be run as well: they
/// bring conditions of their own, and are for whoever knows why.
///
/// Every method refuses, as [`Refused`](fencepost_core::StoreErrorKind::Refused), a parameter
/// that D1 would not take, on every database alike: see [`Value::MAX_TEXT_BYTES`].
///
/// ```
/// use fencepost_batch::{PlanRunner, Query, Store, decode, sql_texts};
/// use fencepost_core::StoreError;
///
/// sql_texts! {
///     WAITING = "outbox/waiting", "SELECT count(*) AS waiting FROM outbox WHERE sent_at IS NULL";
/// }
///
/// async fn waiting<R: PlanRunner>(store: &Store<R>) -> Result<i64, StoreError> {
///     store.read_one(Query::new(&WAITING, vec![], |row| decode::integer(row, "waiting"))).await
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Store<R> {
    runner: R,
}

impl<R> Store<R> {
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

impl<R: PlanRunner> Store<R> {
    /// Runs a batch whose read-back has one row.
    ///
    /// # Errors
    /// A store that misbehaved, or another number of rows.
    pub async fn batch_one<T: Send + 'static>(&self, batch: Batch<T>) -> Result<T, StoreError> {
        let name = batch.readback.statement.text().name();
        let (readback, kept) = kept(batch.readback);
        self.run_batch(Batch { writes: batch.writes, readback }).await?;
        only(kept.rows(), name)
    }

    /// Runs a batch whose read-back has at most one row.
    ///
    /// # Errors
    /// A store that misbehaved.
    pub async fn batch_optional<T: Send + 'static>(&self, batch: Batch<T>) -> Result<Option<T>, StoreError> {
        let (readback, kept) = kept(batch.readback);
        self.run_batch(Batch { writes: batch.writes, readback }).await?;
        Ok(kept.rows().into_iter().next())
    }

    /// Reads all rows.
    ///
    /// # Errors
    /// A store that misbehaved.
    pub async fn read<T: Send + 'static>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        let (query, kept) = kept(query);
        self.run_query(query).await?;
        Ok(kept.rows())
    }

    /// Reads the rows of a query that has at least one, whatever the tables hold: the first, and
    /// the others.
    ///
    /// # Errors
    /// A store that misbehaved, or no row.
    pub async fn read_some<T: Send + 'static>(&self, query: Query<T>) -> Result<(T, Vec<T>), StoreError> {
        let name = query.statement.text().name();
        let mut rows = self.read(query).await?.into_iter();
        let first = rows.next().ok_or_else(|| miscounted(name, 0))?;
        Ok((first, rows.collect()))
    }

    /// Reads the one row.
    ///
    /// # Errors
    /// A store that misbehaved, or another number of rows.
    pub async fn read_one<T: Send + 'static>(&self, query: Query<T>) -> Result<T, StoreError> {
        let name = query.statement.text().name();
        let (query, kept) = kept(query);
        self.run_query(query).await?;
        only(kept.rows(), name)
    }

    /// Runs a batch that has to fail, and returns what its error told. Nothing of it is kept.
    ///
    /// # Errors
    /// Every error but the one that was to be raised;
    /// [`NotUndone`](fencepost_core::StoreErrorKind::NotUndone) if none was.
    pub async fn rehearse<T: Send>(&self, batch: FailingBatch<T>) -> Result<T, StoreError> {
        batch.statements().try_for_each(refuse_oversized)?;
        self.runner.rehearse(batch).await
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
    let problem = format!("{name} gave {count} rows instead of one; is a row missing that is never deleted?");
    StoreError::corrupt("*", problem)
}
