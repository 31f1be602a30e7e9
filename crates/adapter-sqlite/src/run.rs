//! Running plans.

use async_trait::async_trait;
use fencepost_plan_store::{PlanRunner, PlanStore, StoreClock, not_raised, raised};
use fencepost_ports::{CallCost, StoreCounts, StoreError};
use fencepost_sql::{Batch, FailingBatch, Query, Statement, Value, clock::ClockArgument};
use sqlx::{
    AssertSqlSafe, SqlSafeStr, SqlitePool,
    query::Query as SqlxQuery,
    sqlite::{Sqlite, SqliteArguments, SqliteRow},
};

use crate::{
    error::{commit_failure, refusal},
    row::Decoded,
    scripts::Scripts,
    writer::{BrokenOff, Writer},
};

/// A store in an SQLite file.
pub type SqliteStore = PlanStore<SqliteRunner>;

/// Runs plans on an SQLite file.
#[derive(Debug)]
pub struct SqliteRunner {
    pub(crate) writer: Writer,
    readers: SqlitePool,
    clock: StoreClock,
    counts: StoreCounts,
    kept: Scripts,
    undone: Scripts,
}

impl SqliteRunner {
    pub(crate) fn new(writer: Writer, readers: SqlitePool, clock: StoreClock, counts: StoreCounts) -> Self {
        Self { writer, readers, clock, counts, kept: Scripts::kept(), undone: Scripts::undone() }
    }

    /// Lets running calls end and closes the file.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

#[async_trait]
impl PlanRunner for SqliteRunner {
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError> {
        let mut cost = CallCost { statements: count(batch.writes.len()) + 1, ..CallCost::default() };
        let rows = self.run_batch(&batch, &mut cost).await;
        self.counts.count(batch.name(), CallCost { has_failed: rows.is_err(), ..cost });
        // Decoded after the commit, as on D1: a value that cannot be is found out by whoever
        // reads it, and undoes nothing.
        decode(&rows?, &batch.readback)
    }

    async fn read<T: Send>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        let rows = self.run_read(&query).await;
        let cost = CallCost { statements: 1, has_failed: rows.is_err(), ..CallCost::default() };
        self.counts.count(query.statement.text().name(), cost);
        decode(&rows?, &query)
    }

    /// Rolls back whatever came of it, and does not rely on the error for that.
    async fn rehearse<T: Send>(&self, batch: FailingBatch<T>) -> Result<T, StoreError> {
        let told = self.run_failing(&batch).await;
        let statements = count(batch.statements().count());
        let cost = CallCost { statements, has_failed: told.is_err(), ..CallCost::default() };
        self.counts.count(batch.raise.text().name(), cost);
        told
    }
}

fn count(things: usize) -> u64 {
    u64::try_from(things).unwrap_or(u64::MAX)
}

impl SqliteRunner {
    /// Runs a batch as one execution, from `BEGIN IMMEDIATE` to `COMMIT`. Of an error of
    /// COMMIT it is not known what became of the writes; before it, nothing was written.
    async fn run_batch<T>(
        &self,
        batch: &Batch<T>,
        cost: &mut CallCost,
    ) -> Result<Vec<SqliteRow>, StoreError> {
        // Places among the reports: BEGIN, the writes, the read-back, COMMIT.
        let read_back = 1 + batch.writes.len();
        let commit = read_back + 1;
        let mut turn = self.writer.turn().await.map_err(|error| refusal(&error))?;
        let script = self.script(&self.kept, batch.statements());
        match turn.run(script, commit + 1).await {
            Ok(reports) => {
                turn.end();
                cost.rows_written = Some(reports.changed[1..read_back].iter().sum());
                Ok(reports.rows.into_iter().filter(|(at, _)| *at == read_back).map(|(_, row)| row).collect())
            }
            Err(BrokenOff { done, error }) if done == commit => Err(commit_failure(&error)),
            Err(BrokenOff { error, .. }) => Err(refusal(&error)),
        }
    }

    async fn run_read<T>(&self, query: &Query<T>) -> Result<Vec<SqliteRow>, StoreError> {
        let mut connection = self.readers.acquire().await.map_err(|error| refusal(&error))?;
        let bound = bound(query.statement.sql(), query.statement.params(), self.clock.argument());
        bound.fetch_all(&mut *connection).await.map_err(|error| refusal(&error))
    }

    async fn run_failing<T>(&self, batch: &FailingBatch<T>) -> Result<T, StoreError> {
        let mut turn = self.writer.turn().await.map_err(|error| refusal(&error))?;
        let script = self.script(&self.undone, batch.statements());
        match turn.run(script, 1 + batch.statements().count()).await {
            Ok(_) => Err(not_raised(batch, true)),
            Err(BrokenOff { error, .. }) => raised(batch, refusal(&error)),
        }
    }

    /// Statements as one, at this time.
    fn script<'a>(
        &self,
        scripts: &Scripts,
        statements: impl Iterator<Item = &'a Statement> + Clone,
    ) -> SqlxQuery<'static, Sqlite, SqliteArguments> {
        let script = AssertSqlSafe(scripts.of(statements.clone()));
        bound(script, statements.flat_map(Statement::params), self.clock.argument())
    }
}

fn decode<T>(rows: &[SqliteRow], query: &Query<T>) -> Result<Vec<T>, StoreError> {
    let decode = |row| query.decode(&Decoded(row));
    rows.iter()
        .map(decode)
        .collect::<Result<_, _>>()
        .map_err(|error| StoreError::corrupt(error.column(), error.problem()))
}

fn bound<'a>(
    sql: impl SqlSafeStr,
    values: impl IntoIterator<Item = &'a Value>,
    clock: ClockArgument,
) -> SqlxQuery<'static, Sqlite, SqliteArguments> {
    values.into_iter().fold(sqlx::query(sql), |query, value| bind(query, value, clock))
}

fn bind<'q>(
    query: SqlxQuery<'q, Sqlite, SqliteArguments>,
    value: &Value,
    clock: ClockArgument,
) -> SqlxQuery<'q, Sqlite, SqliteArguments> {
    match value {
        Value::Null => query.bind(None::<i64>),
        Value::Integer(integer) => query.bind(*integer),
        Value::Text(text) => query.bind(text.clone()),
        Value::Clock => bind(query, &clock.value(), clock),
    }
}
