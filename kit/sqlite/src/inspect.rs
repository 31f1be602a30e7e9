//! Opening a database only to look at it: a file of SQLite's, or an export of D1's.
//!
//! Whoever looks at a backup wants to find it as it was: not migrated, not switched to
//! another journal, without new files beside it. So a database is opened to be read, and as
//! one that nobody writes, unless a write-ahead log beside it says that somebody may. Such a
//! log is read as well. SQLite needs an index for that, and makes one if there is none: a
//! file beside the other two that holds nothing of its own.
//!
//! An export, as `wrangler d1 export` writes it, is an SQL script. It is run, by SQLite's own
//! parser, in a private database that SQLite keeps in a temporary file and deletes when it is
//! closed. Like every script, it can do whatever SQLite can: run no export of a stranger's.
//! Foreign keys are not enforced meanwhile, because a database that is damaged shall be found
//! out by the verifier, and not be refused.
//!
//! The script creates its indexes after all of its rows. So one that lacks an index was cut
//! off, and is refused: what is left of it might well be sound.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use fencepost_batch::StoreClock;
use fencepost_core::StoreCounts;
use sqlx::{
    AssertSqlSafe, ConnectOptions, SqliteConnection, SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use crate::{
    Migration, OpenError, SqliteRunner, error,
    migrations::{self, MigrationError},
    writer::Writer,
};

/// How every SQLite database begins.
const HEADER: &[u8] = b"SQLite format 3\0";

/// What a file that holds a database turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileForm {
    /// A database of SQLite's.
    Database,
    /// An SQL script that makes one.
    Export,
}

/// Opens a file only to be read, whatever it is, and leaves it as it is.
///
/// # Errors
/// A file that is neither a database nor an export of one; or one with other migrations than
/// those of `migrations`.
pub async fn inspect(
    path: &Path,
    clock: StoreClock,
    migrations: &'static [Migration],
) -> Result<(SqliteRunner, FileForm), OpenError> {
    let unusable = |problem| OpenError::Unusable { path: path.display().to_string(), problem };
    let form = form_of(path).map_err(|error| unusable(format!("{error}; name another file")))?;
    let connections = match form {
        FileForm::Database => open_unwritten(path).await,
        FileForm::Export => {
            let script = std::fs::read_to_string(path).map_err(|error| unusable(not_a_script(&error)))?;
            run_privately(script).await
        }
    };
    let connections = connections.map_err(|error| unusable(problem(form, &error)))?;
    let mut connection = connections.acquire().await.map_err(|error| unusable(problem(form, &error)))?;
    require_schema(&mut connection, path, form, migrations).await?;
    drop(connection);
    let counts = StoreCounts::default();
    Ok((SqliteRunner::new(Writer::none(), connections, clock, counts), form))
}

fn form_of(path: &Path) -> io::Result<FileForm> {
    let mut beginning = Vec::new();
    File::open(path)?.take(HEADER.len() as u64).read_to_end(&mut beginning)?;
    Ok(if beginning == HEADER { FileForm::Database } else { FileForm::Export })
}

/// A file that nobody writes need not be locked, so it can be read where no file may be
/// made, and nothing is left beside it.
async fn open_unwritten(path: &Path) -> Result<SqlitePool, sqlx::Error> {
    let has_log = beside(path, "-wal").exists();
    let connect = SqliteConnectOptions::new().filename(path).read_only(true).immutable(!has_log);
    lasting().connect_with(connect.disable_statement_logging()).await
}

async fn run_privately(script: String) -> Result<SqlitePool, sqlx::Error> {
    // No name is SQLite's name for a database of the connection's own.
    let connect = SqliteConnectOptions::new()
        .filename("")
        .journal_mode(SqliteJournalMode::Off)
        .synchronous(SqliteSynchronous::Off)
        .foreign_keys(false);
    let connections = lasting().connect_with(connect.disable_statement_logging()).await?;
    for part in parts(&script) {
        sqlx::raw_sql(AssertSqlSafe(part.to_owned())).execute(&connections).await?;
    }
    sqlx::query("PRAGMA query_only = ON").execute(&connections).await?;
    Ok(connections)
}

/// One connection for as long as it is needed: a private database ends with it.
fn lasting() -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(1)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
}

/// The tables and indexes of this version have to be there, and no others are needed.
async fn require_schema(
    connection: &mut SqliteConnection,
    path: &Path,
    form: FileForm,
    migrations: &'static [Migration],
) -> Result<(), OpenError> {
    let path = path.display().to_string();
    match migrations::lacking(connection, migrations).await {
        Ok(None) => Ok(()),
        Ok(Some(lacking)) => Err(OpenError::Lacking { path, lacking, form, what_to_do: what_to_do(form) }),
        Err(MigrationError::Newer(migration)) => Err(OpenError::Newer { path, migration }),
        Err(MigrationError::Sql(error)) => Err(OpenError::Unusable { path, problem: problem(form, &error) }),
    }
}

const fn what_to_do(form: FileForm) -> &'static str {
    match form {
        FileForm::Database => {
            "let this program open a copy of it to work with, which migrates it, and look at that"
        }
        FileForm::Export => {
            "apply the migrations where it comes from, with `wrangler d1 migrations apply`, and export it again"
        }
    }
}

fn not_a_script(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::InvalidData => {
            "it is neither an SQLite database nor an SQL script; name another file".to_owned()
        }
        _ => format!("{error}; name another file"),
    }
}

fn problem(form: FileForm, error: &sqlx::Error) -> String {
    let told = error::refusal(error);
    match form {
        FileForm::Database => told.to_string(),
        FileForm::Export => {
            format!("{told}; it is no export of a whole database, as `wrangler d1 export` writes it")
        }
    }
}

/// A script in parts of whole statements. SQLite copies what is left of a text for each
/// statement in it, so a long script would take the square of its length.
///
/// A `;` ends a statement outside of quotes and comments. Should it be within a trigger, of
/// which an export has none, SQLite finds the part incomplete and refuses it.
fn parts(script: &str) -> impl Iterator<Item = &str> {
    const PART_BYTES: usize = 1 << 16;
    let mut rest = script;
    std::iter::from_fn(move || {
        let end = statement_ends(rest).find(|end| *end >= PART_BYTES).unwrap_or(rest.len());
        let (part, left) = rest.split_at(end);
        rest = left;
        (!part.is_empty()).then_some(part)
    })
}

/// Where statements end. A doubled quote ends one text and begins another, which is as good.
fn statement_ends(script: &str) -> impl Iterator<Item = usize> {
    let mut until: Option<&str> = None;
    script.char_indices().filter_map(move |(at, _)| {
        let here = script.get(at..)?;
        if let Some(end) = until {
            let ends = here.starts_with(end);
            until = until.filter(|_| !ends);
            return None;
        }
        // The second half of what ends a comment begins none.
        until = [("'", "'"), ("\"", "\""), ("`", "`"), ("[", "]"), ("--", "\n"), ("/*", "*/")]
            .into_iter()
            .find_map(|(begin, end)| here.starts_with(begin).then_some(end));
        here.starts_with(';').then_some(at + 1)
    })
}

/// The file that SQLite keeps beside another one.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::{parts, statement_ends};

    #[test]
    fn a_statement_ends_outside_of_texts_names_and_comments() {
        let script = "a 'x;''y;' \";\" `;` [;];b -- ;\n;c /* ; ' */;d";
        let ends: Vec<_> = statement_ends(script).map(|end| &script[..end]).collect();
        assert_eq!(ends.len(), 3, "{ends:?}");
        assert!(
            ends[0].ends_with("[;];") && ends[1].ends_with("\n;") && ends[2].ends_with("*/;"),
            "{ends:?}"
        );
    }

    #[test]
    fn a_long_script_comes_in_parts_that_are_the_whole() {
        let script = "INSERT INTO t VALUES ('a; b');\n".repeat(10_000);
        let parts: Vec<_> = parts(&script).collect();
        assert!(parts.len() > 3 && parts.iter().all(|part| part.len() < 70_000), "{}", parts.len());
        assert!(parts[..parts.len() - 1].iter().all(|part| part.ends_with("');")));
        assert_eq!(parts.concat(), script);
    }
}
