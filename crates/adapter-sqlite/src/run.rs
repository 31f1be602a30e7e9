//! Running plans.

use fencepost_ports::StoreError;
use fencepost_sql::{Batch, Query, Statement, Value, clock::ClockArgument};
use sqlx::{
    Connection, SqliteConnection, Transaction,
    query::Query as SqlxQuery,
    sqlite::{Sqlite, SqliteArguments, SqliteRow},
};

use crate::{
    error::{commit_failure, refusal},
    open::SqliteStore,
    row::Decoded,
};

impl SqliteStore {
    /// Runs a batch: its writes and its read-back in one transaction.
    ///
    /// A connection on which a batch broke off is not used again. SQLite ends a
    /// transaction by itself when the disk is full or fails, sqlx goes on counting it as
    /// open, and every later `BEGIN` would be refused.
    pub(crate) async fn batch<T>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError> {
        let mut connection = self.writer.acquire().await.map_err(|error| refusal(&error))?;
        let transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(|error| refusal(&error))?;
        let rows = self.finish(transaction, &batch).await;
        if rows.is_err() {
            connection.close_on_drop();
        }
        // Decoded after the commit, as on D1: a value that cannot be is found out by whoever
        // reads it, and undoes nothing.
        decode(&rows?, &batch.readback)
    }

    async fn finish<T>(
        &self,
        mut transaction: Transaction<'_, Sqlite>,
        batch: &Batch<T>,
    ) -> Result<Vec<SqliteRow>, StoreError> {
        // Read after the write lock was had: however long the wait was, it is not yet over
        // for the database's clock, and a manual one stands still for the whole batch.
        let clock = self.clock.argument();
        for write in &batch.writes {
            bound(write, clock).execute(&mut *transaction).await.map_err(|error| refusal(&error))?;
        }
        let rows = fetch(&mut transaction, &batch.readback, clock).await?;
        transaction.commit().await.map_err(|error| commit_failure(&error))?;
        Ok(rows)
    }

    /// Runs a batch whose read-back has one row.
    pub(crate) async fn batch_one<T>(&self, batch: Batch<T>) -> Result<T, StoreError> {
        let name = batch.readback.statement.text().name();
        only(self.batch(batch).await?, name)
    }

    /// Runs a batch whose read-back has at most one row.
    pub(crate) async fn batch_optional<T>(&self, batch: Batch<T>) -> Result<Option<T>, StoreError> {
        Ok(self.batch(batch).await?.into_iter().next())
    }

    /// Reads all rows.
    pub(crate) async fn read<T>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        let mut connection = self.readers.acquire().await.map_err(|error| refusal(&error))?;
        decode(&fetch(&mut connection, &query, self.clock.argument()).await?, &query)
    }

    /// Reads the one row.
    pub(crate) async fn read_one<T>(&self, query: Query<T>) -> Result<T, StoreError> {
        let name = query.statement.text().name();
        only(self.read(query).await?, name)
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
        .map_err(|error| StoreError::corrupt(error.column, error.problem))
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

fn only<T>(rows: Vec<T>, name: &str) -> Result<T, StoreError> {
    let count = rows.len();
    let mut rows = rows.into_iter();
    match (rows.next(), count) {
        (Some(row), 1) => Ok(row),
        _ => Err(StoreError::corrupt(
            "*",
            format!("{name} gave {count} rows instead of one; is a row of site_state missing?"),
        )),
    }
}
