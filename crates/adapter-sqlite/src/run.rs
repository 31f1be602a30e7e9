//! Running plans.

use async_trait::async_trait;
use fencepost_plan_store::{PlanRunner, PlanStore, StoreClock, not_raised, raised};
use fencepost_ports::{CallCost, StoreCounts, StoreError};
use fencepost_sql::{Batch, FailingBatch, Query, Statement, Value, clock::ClockArgument};
use sqlx::{
    Connection, SqliteConnection, SqlitePool, Transaction,
    query::Query as SqlxQuery,
    sqlite::{Sqlite, SqliteArguments, SqliteRow},
};

use crate::{
    error::{commit_failure, refusal},
    row::Decoded,
};

/// A store in an SQLite file.
pub type SqliteStore = PlanStore<SqliteRunner>;

/// Runs plans on an SQLite file.
#[derive(Debug)]
pub struct SqliteRunner {
    pub(crate) writer: SqlitePool,
    pub(crate) readers: SqlitePool,
    pub(crate) clock: StoreClock,
    pub(crate) counts: StoreCounts,
}

impl SqliteRunner {
    /// Lets running calls end and closes the file.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }

    async fn finish<T>(
        &self,
        mut transaction: Transaction<'_, Sqlite>,
        batch: &Batch<T>,
        cost: &mut CallCost,
    ) -> Result<Vec<SqliteRow>, StoreError> {
        // Read after the write lock was had: a manual clock may have been moved meanwhile.
        let clock = self.clock.argument();
        let mut written = 0;
        for write in &batch.writes {
            let done =
                bound(write, clock).execute(&mut *transaction).await.map_err(|error| refusal(&error))?;
            written += done.rows_affected();
        }
        let rows = fetch(&mut transaction, &batch.readback, clock).await?;
        transaction.commit().await.map_err(|error| commit_failure(&error))?;
        cost.rows_written = Some(written);
        Ok(rows)
    }

    /// Runs statements one after the other, up to the first that fails.
    async fn run_all<T>(
        &self,
        connection: &mut SqliteConnection,
        batch: &FailingBatch<T>,
    ) -> Result<(), sqlx::Error> {
        let clock = self.clock.argument();
        for statement in batch.statements() {
            bound(statement, clock).fetch_all(&mut *connection).await?;
        }
        Ok(())
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
    /// A connection on which a batch broke off is not used again. SQLite ends a
    /// transaction by itself when the disk is full or fails, sqlx goes on counting it as
    /// open, and every later `BEGIN` would be refused.
    async fn run_batch<T>(
        &self,
        batch: &Batch<T>,
        cost: &mut CallCost,
    ) -> Result<Vec<SqliteRow>, StoreError> {
        let mut connection = self.writer.acquire().await.map_err(|error| refusal(&error))?;
        let transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(|error| refusal(&error))?;
        let rows = self.finish(transaction, batch, cost).await;
        if rows.is_err() {
            connection.close_on_drop();
        }
        rows
    }

    async fn run_read<T>(&self, query: &Query<T>) -> Result<Vec<SqliteRow>, StoreError> {
        let mut connection = self.readers.acquire().await.map_err(|error| refusal(&error))?;
        fetch(&mut connection, query, self.clock.argument()).await
    }

    async fn run_failing<T>(&self, batch: &FailingBatch<T>) -> Result<T, StoreError> {
        let mut connection = self.writer.acquire().await.map_err(|error| refusal(&error))?;
        let mut transaction =
            connection.begin_with("BEGIN IMMEDIATE").await.map_err(|error| refusal(&error))?;
        let ended = self.run_all(&mut transaction, batch).await;
        if transaction.rollback().await.is_err() {
            // SQLite has ended it by itself, or is no longer to be relied upon.
            connection.close_on_drop();
        }
        match ended {
            Ok(()) => Err(not_raised(batch, true)),
            Err(error) => raised(batch, refusal(&error)),
        }
    }
}

async fn fetch<T>(
    connection: &mut SqliteConnection,
    query: &Query<T>,
    clock: ClockArgument,
) -> Result<Vec<SqliteRow>, StoreError> {
    bound(&query.statement, clock).fetch_all(connection).await.map_err(|error| refusal(&error))
}

fn decode<T>(rows: &[SqliteRow], query: &Query<T>) -> Result<Vec<T>, StoreError> {
    let decode = |row| query.decode(&Decoded(row));
    rows.iter()
        .map(decode)
        .collect::<Result<_, _>>()
        .map_err(|error| StoreError::corrupt(error.column(), error.problem()))
}

fn bound(statement: &Statement, clock: ClockArgument) -> SqlxQuery<'static, Sqlite, SqliteArguments> {
    statement.params().iter().fold(sqlx::query(statement.sql()), |query, value| bind(query, value, clock))
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
