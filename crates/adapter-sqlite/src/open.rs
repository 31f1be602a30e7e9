//! Opening a database, by any number of processes at the same moment.

use std::{path::Path, time::Duration};

use fencepost_ports::StoreError;
use sqlx::{
    ConnectOptions, Connection, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqlitePoolOptions, SqliteSynchronous},
};

use crate::{
    Durability, SqliteOptions, SqliteRunner, SqliteStore,
    error::{self, is_busy},
    migrations,
    writer::Writer,
};

/// How many reads run at once.
const READERS: u32 = 8;
/// How many texts of batches stay prepared: more than there are.
const SCRIPTS: usize = 200;
/// How often a file that others are opening too is asked for its turn.
const OPEN_TRIES: u32 = 200;

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be used.
    #[error("cannot open the database {path}: {problem}")]
    Unusable {
        /// The file.
        path: String,
        /// What happened and what to do.
        problem: String,
    },
    /// The file was written by a newer version.
    #[error(
        "the database {path} was migrated by a newer version of fencepost ({migration} is unknown to this one); run that version, or restore a backup from before it"
    )]
    Newer {
        /// The file.
        path: String,
        /// The migration that this version does not know.
        migration: String,
    },
    /// The file was to be looked at as it is, and is not of this version.
    #[error("the database {path} lacks {lacking}, and was left as it is; {what_to_do}")]
    Lacking {
        /// The file.
        path: String,
        /// The migration, the table or the index.
        lacking: String,
        /// What to do.
        what_to_do: &'static str,
    },
}

/// Opens a database, creates it when it does not exist, and migrates it.
///
/// # Errors
/// A file that is no database, that cannot be written, or that a newer version
/// has migrated.
pub async fn open(options: SqliteOptions) -> Result<SqliteStore, OpenError> {
    let connect = SqliteConnectOptions::new()
        .filename(&options.path)
        .create_if_missing(true)
        .busy_timeout(options.busy_timeout)
        .synchronous(match options.durability {
            Durability::Full => SqliteSynchronous::Full,
            Durability::Normal => SqliteSynchronous::Normal,
        })
        .disable_statement_logging();
    prepare(&options.path, &connect).await?;
    // If the file is moved away later, an empty one in its place would be no store.
    let connect = connect.create_if_missing(false);

    // A connection is local and never dies by itself: testing it before each use
    // would double the cost of a read.
    let patience = options.busy_timeout.saturating_add(Duration::from_secs(20));
    let readers = SqlitePoolOptions::new()
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .acquire_timeout(patience)
        .max_connections(READERS)
        .connect_lazy_with(connect.clone().pragma("query_only", "ON"));
    let writer = Writer::new(connect.statement_cache_capacity(SCRIPTS), patience);
    Ok(SqliteStore::new(SqliteRunner::new(writer, readers, options.clock, options.counts)))
}

/// Switches the file to the write-ahead log and migrates it.
async fn prepare(path: &Path, connect: &SqliteConnectOptions) -> Result<(), OpenError> {
    let unusable = |problem: String| OpenError::Unusable { path: path.display().to_string(), problem };
    let mut connection =
        patiently(|| connect.connect()).await.map_err(|error| unusable(describe(path, &error)))?;
    enter_wal(&mut connection).await.map_err(|error| unusable(describe(path, &error)))?;
    let migrated = migrations::apply(&mut connection).await;
    let writable = may_be_written(&mut connection).await;
    connection.close().await.map_err(|error| unusable(describe(path, &error)))?;
    match migrated {
        Ok(()) => writable.map_err(|error| unusable(describe(path, &error))),
        Err(migrations::MigrationError::Newer(migration)) => {
            Err(OpenError::Newer { path: path.display().to_string(), migration })
        }
        Err(migrations::MigrationError::Sql(error)) => Err(unusable(describe(path, &error))),
    }
}

/// Changing the journal mode asks for the whole file, and SQLite does not wait for it
/// however long the busy timeout is. Twenty processes that start at once take turns.
async fn enter_wal(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let mut tried = 0;
    loop {
        tried += 1;
        match sqlx::query("PRAGMA journal_mode = WAL").execute(&mut *connection).await {
            Err(error) if is_busy(&error) && tried < OPEN_TRIES => wait_for_turn(tried).await,
            other => return other.map(drop),
        }
    }
}

/// Whoever finds the file locked need not wait: others may write it, so this process may.
async fn may_be_written(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    sqlx::query("PRAGMA busy_timeout = 0").execute(&mut *connection).await?;
    match migrations::touch(connection).await {
        Err(error) if is_busy(&error) => Ok(()),
        other => other,
    }
}

async fn patiently<T, F>(call: impl Fn() -> F) -> Result<T, sqlx::Error>
where
    F: Future<Output = Result<T, sqlx::Error>>,
{
    let mut tried = 0;
    loop {
        tried += 1;
        match call().await {
            Err(error) if is_busy(&error) && tried < OPEN_TRIES => wait_for_turn(tried).await,
            other => return other,
        }
    }
}

async fn wait_for_turn(tried: u32) {
    tokio::time::sleep(Duration::from_millis(u64::from(tried.min(50)))).await;
}

fn describe(path: &Path, error: &sqlx::Error) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return format!("the folder {} does not exist; create it or name another file", folder.display());
    }
    let refusal: StoreError = error::refusal(error);
    refusal.to_string()
}

#[cfg(test)]
mod tests {
    use sqlx::Row;
    use tempfile::TempDir;

    use super::*;

    /// What `PRAGMA synchronous` says to the connection that writes.
    async fn level(folder: &TempDir, durability: Option<Durability>) -> i64 {
        let options = SqliteOptions::new(folder.path().join("level.db"));
        let options = match durability {
            Some(durability) => SqliteOptions { durability, ..options },
            None => options,
        };
        let store = open(options).await.unwrap();
        let mut turn = store.runner().writer.turn().await.unwrap();
        let Ok(reports) = turn.run(sqlx::query("PRAGMA synchronous"), 1).await else { panic!("no answer") };
        turn.end();
        reports.rows[0].1.get(0)
    }

    /// An import has a statement more for each part of a long list, so there may be a few more.
    #[test]
    fn the_text_of_every_batch_stays_prepared() {
        let listed = include_str!("../../sql/tests/scripts/batches.txt");
        let batches = listed.lines().filter(|line| !line.starts_with(' ')).count();
        assert!((1..=SCRIPTS / 2).contains(&batches), "there are {batches}");
    }

    #[tokio::test]
    async fn a_commit_is_synced_unless_it_is_told_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(level(&folder, None).await, 2);
        assert_eq!(level(&folder, Some(Durability::Full)).await, 2);
        assert_eq!(level(&folder, Some(Durability::Normal)).await, 1);
    }
}
