//! The migrations of the workspace, applied under one write lock.
//!
//! The names of applied files are kept in the table that `wrangler d1 migrations apply`
//! uses, so that a database moved between D1 and a server is known on both sides.
//! Everything happens in one transaction that begins with the write lock: of twenty
//! processes that start at once, one migrates and nineteen find the work done.
//!
//! Where nothing is missing, no lock is asked for. A server may start, and `verify` may
//! look, while another process has been writing for longer than anybody would wait.

use fencepost_sql::migrations::{APPLIED, CREATE_JOURNAL, HAS_JOURNAL, RECORD, SCHEMA_NAMES, TOUCH};
use sqlx::{Connection, SqliteConnection};

/// Every migration, in order. A test holds this list against the folder.
const MIGRATIONS: [(&str, &str); 9] = [
    ("0001_publication.sql", include_str!("../../../migrations/0001_publication.sql")),
    ("0002_visibility.sql", include_str!("../../../migrations/0002_visibility.sql")),
    ("0003_daily_results.sql", include_str!("../../../migrations/0003_daily_results.sql")),
    ("0004_result_tallies.sql", include_str!("../../../migrations/0004_result_tallies.sql")),
    ("0005_outbox.sql", include_str!("../../../migrations/0005_outbox.sql")),
    ("0006_operator_actions.sql", include_str!("../../../migrations/0006_operator_actions.sql")),
    ("0007_alert_episodes.sql", include_str!("../../../migrations/0007_alert_episodes.sql")),
    ("0008_retention.sql", include_str!("../../../migrations/0008_retention.sql")),
    ("0009_builds.sql", include_str!("../../../migrations/0009_builds.sql")),
];

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
pub(crate) async fn apply(connection: &mut SqliteConnection) -> Result<(), MigrationError> {
    if sqlx::query_scalar(HAS_JOURNAL).fetch_one(&mut *connection).await?
        && missing(connection).await?.is_empty()
    {
        return Ok(());
    }
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::raw_sql(CREATE_JOURNAL).execute(&mut *transaction).await?;
    for (name, sql) in missing(&mut transaction).await? {
        sqlx::raw_sql(sql).execute(&mut *transaction).await?;
        sqlx::query(RECORD).bind(name).execute(&mut *transaction).await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// The migrations that the journal does not have.
async fn missing(
    connection: &mut SqliteConnection,
) -> Result<Vec<(&'static str, &'static str)>, MigrationError> {
    let applied: Vec<String> = sqlx::query_scalar(APPLIED).fetch_all(connection).await?;
    if let Some(unknown) = applied.iter().find(|name| MIGRATIONS.iter().all(|(known, _)| known != name)) {
        return Err(MigrationError::Newer(unknown.clone()));
    }
    Ok(MIGRATIONS.into_iter().filter(|(name, _)| !applied.iter().any(|it| it == name)).collect())
}

/// What a database would have if it were of this version, and does not have: a migration, or
/// a table or an index that was lost since. Changes nothing.
pub(crate) async fn lacking(connection: &mut SqliteConnection) -> Result<Option<String>, MigrationError> {
    if !sqlx::query_scalar(HAS_JOURNAL).fetch_one(&mut *connection).await? {
        return Ok(Some("the list of its migrations, d1_migrations".to_owned()));
    }
    if let Some((name, _)) = missing(connection).await?.first() {
        return Ok(Some(format!("the migration {name}")));
    }
    let there: Vec<String> = sqlx::query_scalar(SCHEMA_NAMES).fetch_all(connection).await?;
    let lost = schema_names().await?.into_iter().find(|name| !there.contains(name));
    Ok(lost.map(|name| format!("{name}, which its migrations made: it was cut off, or changed by hand")))
}

/// The names of all tables and indexes of this version.
async fn schema_names() -> Result<Vec<String>, sqlx::Error> {
    let mut sample = SqliteConnection::connect("sqlite::memory:").await?;
    for (_, sql) in MIGRATIONS {
        sqlx::raw_sql(sql).execute(&mut sample).await?;
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

#[cfg(test)]
mod tests {
    use super::MIGRATIONS;

    #[test]
    fn every_file_of_the_folder_is_applied_in_its_order() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations");
        let names =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name.ends_with(".sql")).collect();
        names.sort();
        assert_eq!(MIGRATIONS.map(|(name, _)| name).to_vec(), names);
        assert_eq!(names, fencepost_sql::migrations::NAMES);
    }
}
