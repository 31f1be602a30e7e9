//! Opening a database, by any number of processes at the same moment.

use std::{path::Path, time::Duration};

use fencepost_core::StoreError;
use sqlx::{
    ConnectOptions, Connection, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqlitePoolOptions},
};

use crate::{
    FileForm, SqliteOptions, SqliteRunner,
    error::{self, is_busy},
    migrations,
    writer::Writer,
};

/// How many reads run at once.
const READERS: u32 = 8;
/// How much of the file each connection that reads keeps for itself, in kB, as SQLite is told:
/// the upper pages of its indexes. All else is in the system's memory anyway, one copy for all
/// connections and not eight, and is no slower to have from there.
const READER_CACHE: &str = "-256";
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
        "the database {path} was migrated by a newer version of this program ({migration} is unknown to this one); run that version, or restore a backup from before it"
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
        /// What the file turned out to be.
        form: FileForm,
        /// What to do.
        what_to_do: &'static str,
    },
}

impl SqliteRunner {
    /// Opens a database, creates it when it does not exist, and migrates it.
    ///
    /// # Errors
    /// A file that is no database, that cannot be written, or that a newer version
    /// has migrated.
    pub async fn open(options: SqliteOptions) -> Result<Self, OpenError> {
        let connect = connection_to(&options);
        // Only here: if the file is moved away later, an empty one in its place would be no store.
        prepare(&options, &connect.clone().create_if_missing(true)).await?;

        // A connection is local and never dies by itself: testing it before each use
        // would double the cost of a read.
        let patience = options.busy_timeout.saturating_add(Duration::from_secs(20));
        let readers = SqlitePoolOptions::new()
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .acquire_timeout(patience)
            .max_connections(READERS)
            .connect_lazy_with(connect.pragma("query_only", "ON").pragma("cache_size", READER_CACHE));
        let (clock, counts) = (options.clock.clone(), options.counts.clone());
        let writer = Writer::new(options, patience);
        Ok(Self::new(writer, readers, clock, counts))
    }
}

/// The connections that read, and the one that prepares the file.
fn connection_to(options: &SqliteOptions) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(&options.path)
        .busy_timeout(options.busy_timeout)
        .pragma("synchronous", options.durability.level())
        .disable_statement_logging()
}

/// Switches the file to the write-ahead log and migrates it.
async fn prepare(options: &SqliteOptions, connect: &SqliteConnectOptions) -> Result<(), OpenError> {
    let path = options.path.as_path();
    let unusable = |problem: String| OpenError::Unusable { path: path.display().to_string(), problem };
    let mut connection =
        patiently(|| connect.connect()).await.map_err(|error| unusable(describe(path, &error)))?;
    enter_wal(&mut connection).await.map_err(|error| unusable(describe(path, &error)))?;
    let migrated = migrations::apply(&mut connection, options.migrations).await;
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
    use sqlx::AssertSqlSafe;

    use super::*;
    use crate::Durability;

    /// What decides what a connection does and what of it lasts.
    const PRAGMAS: [&str; 9] = [
        "synchronous",
        "foreign_keys",
        "query_only",
        "wal_autocheckpoint",
        "recursive_triggers",
        "ignore_check_constraints",
        "trusted_schema",
        "read_uncommitted",
        "fullfsync",
    ];

    /// What the connection that writes is told, by [`PRAGMAS`]. It has to be what one of sqlx for
    /// the same options is told.
    async fn told(options: SqliteOptions) -> Vec<i64> {
        let runner = SqliteRunner::open(options.clone()).await.unwrap();
        let mut other = connection_to(&options).connect().await.unwrap();
        let mut all = Vec::new();
        for pragma in PRAGMAS {
            let writer = &runner.writer;
            let told = writer.turn(|it| Ok(it.pragma_query_value(None, pragma, |row| row.get(0))));
            let told: i64 = told.await.unwrap().unwrap();
            let sql = AssertSqlSafe(format!("PRAGMA {pragma}"));
            let expected: i64 = sqlx::query_scalar(sql).fetch_one(&mut other).await.unwrap();
            assert_eq!(told, expected, "{pragma}");
            all.push(told);
        }
        all
    }

    #[tokio::test]
    async fn a_commit_is_synced_unless_it_is_told_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path().join("level.db"), &[]);
        assert_eq!(told(options.clone()).await[0], 2);
        for (durability, level) in [(Durability::Full, 2), (Durability::Normal, 1)] {
            let options = SqliteOptions { durability, ..options.clone() };
            assert_eq!(told(options).await[0], level);
        }
    }
}
