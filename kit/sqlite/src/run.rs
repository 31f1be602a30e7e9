//! Running plans.

use async_trait::async_trait;
use fencepost_batch::{
    Batch, DecodeError, FailingBatch, PlanRunner, Query, StoreClock, Value, clock::ClockArgument, not_raised,
    raised,
};
use fencepost_core::{CallCost, StoreCounts, StoreError};
use rusqlite::Connection;
use sqlx::{
    SqlitePool,
    query::Query as SqlxQuery,
    sqlite::{Sqlite, SqliteArguments},
};

use crate::{
    error::{commit_failure, refusal},
    inline::{frame, run},
    row::Decoded,
    writer::Writer,
};

/// Runs plans on an SQLite file.
#[derive(Debug)]
pub struct SqliteRunner {
    pub(crate) writer: Writer,
    readers: SqlitePool,
    clock: StoreClock,
    counts: StoreCounts,
}

impl SqliteRunner {
    pub(crate) const fn new(
        writer: Writer,
        readers: SqlitePool,
        clock: StoreClock,
        counts: StoreCounts,
    ) -> Self {
        Self { writer, readers, clock, counts }
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
        // After the commit, as on D1: a value that cannot be is found out by whoever reads it,
        // and undoes nothing.
        decoded(rows?)
    }

    async fn read<T: Send>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        let rows = self.run_read(&query).await;
        let cost = CallCost { statements: 1, has_failed: rows.is_err(), ..CallCost::default() };
        self.counts.count(query.statement.text().name(), cost);
        decoded(rows?)
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

/// Each row of an answer, or what is wrong with it.
type Rows<T> = Vec<Result<T, DecodeError>>;

impl SqliteRunner {
    /// Runs a batch from `BEGIN IMMEDIATE` to `COMMIT`. Of an error of COMMIT it is not known
    /// what became of the writes; before it, nothing was written.
    async fn run_batch<T>(&self, batch: &Batch<T>, cost: &mut CallCost) -> Result<Rows<T>, StoreError> {
        let turn = self.writer.turn(|connection| {
            let done = self.write(connection, batch).map_err(|error| refusal(&error))?;
            frame(connection, "COMMIT").map_err(|error| commit_failure(&error))?;
            Ok(done)
        });
        let (written, rows) = turn.await?;
        cost.rows_written = Some(written);
        Ok(rows)
    }

    /// How many rows were written, and those of the read-back, in a transaction that is left
    /// open.
    fn write<T>(&self, connection: &Connection, batch: &Batch<T>) -> rusqlite::Result<(u64, Rows<T>)> {
        let clock = self.begin(connection)?;
        let mut written = 0;
        for write in &batch.writes {
            written += run(connection, write, clock, |_| {})?;
        }
        let mut rows = Vec::new();
        let read_back = &batch.readback;
        run(connection, &read_back.statement, clock, |row| rows.push(read_back.decode(&Decoded(row))))?;
        Ok((written, rows))
    }

    /// Begins a transaction, and tells what time it is in it: a clock that a test moves may have
    /// been moved while the lock was waited for.
    fn begin(&self, connection: &Connection) -> rusqlite::Result<ClockArgument> {
        self.writer.begin(connection)?;
        Ok(self.clock.argument())
    }

    /// Runs statements up to the first that fails, and leaves it to the end of the turn to roll
    /// back whatever came of it.
    async fn run_failing<T>(&self, batch: &FailingBatch<T>) -> Result<T, StoreError> {
        let turn = self.writer.turn(|connection| {
            let clock = self.begin(connection).map_err(|error| refusal(&error))?;
            let mut statements = batch.statements();
            let failed = statements.find_map(|statement| run(connection, statement, clock, |_| {}).err());
            match failed {
                None => Err(not_raised(batch, true)),
                Some(error) => raised(batch, refusal(&error)),
            }
        });
        turn.await
    }

    async fn run_read<T>(&self, query: &Query<T>) -> Result<Rows<T>, StoreError> {
        let mut connection = self.readers.acquire().await.map_err(|error| refusal(&error))?;
        let clock = self.clock.argument().value();
        let params = query.statement.params().iter();
        let bound =
            params.fold(sqlx::query(query.statement.sql()), |bound, value| bind(bound, value, &clock));
        let rows = bound.fetch_all(&mut *connection).await.map_err(|error| refusal(&error))?;
        Ok(rows.iter().map(|row| query.decode(&Decoded(row))).collect())
    }
}

fn decoded<T>(rows: Rows<T>) -> Result<Vec<T>, StoreError> {
    let rows: Result<_, DecodeError> = rows.into_iter().collect();
    rows.map_err(|error| StoreError::corrupt(error.column(), error.problem()))
}

fn bind<'q>(
    query: SqlxQuery<'q, Sqlite, SqliteArguments>,
    value: &Value,
    clock: &Value,
) -> SqlxQuery<'q, Sqlite, SqliteArguments> {
    match if *value == Value::Clock { clock } else { value } {
        Value::Null | Value::Clock => query.bind(None::<i64>),
        Value::Integer(integer) => query.bind(*integer),
        Value::Text(text) => query.bind(text.clone()),
    }
}
