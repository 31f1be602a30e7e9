//! Migrations, applied under one write lock.
//!
//! The names of applied files are kept in the table that `wrangler d1 migrations apply`
//! uses, so that a database moved between D1 and a server is known on both sides.
//! Everything happens in one transaction that begins with the write lock: of twenty
//! processes that start at once, one migrates and nineteen find the work done.
//!
//! Where nothing is missing, no lock is asked for. A server may start, and `verify` may
//! look, while another process has been writing for longer than anybody would wait.

use fencepost_batch::journal::{APPLIED, CREATE_JOURNAL, HAS_JOURNAL, RECORD, SCHEMA_NAMES, TOUCH};
use sqlx::{Connection, SqliteConnection};

/// One file of a schema. It is applied once, and never changed after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    /// The name of the file, such as `0001_orders.sql`, by which it is known to be applied.
    pub name: &'static str,
    /// What is in it: usually an `include_str!`.
    pub sql: &'static str,
}

pub(crate) enum MigrationError {
    /// The database has a migration that this version does not know.
    Newer(String),
    Sql(sqlx::Error),
}

impl From<sqlx::Error> for MigrationError {
    fn from(error: sqlx::Error) -> Self {
        Self::Sql(error)
    }
}

/// Applies what is missing.
pub(crate) async fn apply(
    connection: &mut SqliteConnection,
    migrations: &'static [Migration],
) -> Result<(), MigrationError> {
    if sqlx::query_scalar(HAS_JOURNAL).fetch_one(&mut *connection).await?
        && missing(connection, migrations).await?.is_empty()
    {
        return Ok(());
    }
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::raw_sql(CREATE_JOURNAL).execute(&mut *transaction).await?;
    for Migration { name, sql } in missing(&mut transaction, migrations).await? {
        sqlx::raw_sql(*sql).execute(&mut *transaction).await?;
        sqlx::query(RECORD).bind(*name).execute(&mut *transaction).await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// The migrations that the journal does not have.
async fn missing(
    connection: &mut SqliteConnection,
    migrations: &'static [Migration],
) -> Result<Vec<&'static Migration>, MigrationError> {
    let applied: Vec<String> = sqlx::query_scalar(APPLIED).fetch_all(connection).await?;
    if let Some(unknown) = applied.iter().find(|name| migrations.iter().all(|known| known.name != **name)) {
        return Err(MigrationError::Newer(unknown.clone()));
    }
    Ok(migrations.iter().filter(|it| !applied.iter().any(|name| name == it.name)).collect())
}

/// What a database would have if it were of this version, and does not have: a migration, or
/// a table or an index that was lost since. Changes nothing.
pub(crate) async fn lacking(
    connection: &mut SqliteConnection,
    migrations: &'static [Migration],
) -> Result<Option<String>, MigrationError> {
    if !sqlx::query_scalar(HAS_JOURNAL).fetch_one(&mut *connection).await? {
        return Ok(Some("the list of its migrations, d1_migrations".to_owned()));
    }
    if let Some(Migration { name, .. }) = missing(connection, migrations).await?.first() {
        return Ok(Some(format!("the migration {name}")));
    }
    let there: Vec<String> = sqlx::query_scalar(SCHEMA_NAMES).fetch_all(connection).await?;
    let lost = schema_names(migrations).await?.into_iter().find(|name| !there.contains(name));
    Ok(lost.map(|name| format!("{name}, which its migrations made: it was cut off, or changed by hand")))
}

/// The names of all tables and indexes of this version.
async fn schema_names(migrations: &[Migration]) -> Result<Vec<String>, sqlx::Error> {
    let mut sample = SqliteConnection::connect("sqlite::memory:").await?;
    for Migration { sql, .. } in migrations {
        sqlx::raw_sql(*sql).execute(&mut sample).await?;
    }
    let names = sqlx::query_scalar(SCHEMA_NAMES).fetch_all(&mut sample).await?;
    sample.close().await?;
    Ok(names)
}

/// Fails if the database may not be written.
///
/// SQLite opens such a file all the same, and begins a transaction on it without
/// complaint. A server would come up and publish nothing.
pub(crate) async fn touch(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    sqlx::query(TOUCH).execute(connection).await.map(drop)
}
