//! Preparing every text of a program, for a test.
//!
//! A text is a string until a database has seen it. One that is used once a year, when a month has
//! to be caught up, would be found out once a year.

use std::fmt;

use fencepost_batch::{SqlText, journal::CREATE_JOURNAL};
use rusqlite::Connection;

use crate::Migration;

/// What SQLite did not take: each problem in a line that begins with a name.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub struct Unprepared(Vec<String>);

impl fmt::Display for Unprepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

/// Prepares texts on an empty database in memory, after these migrations: a table or a column
/// that is not there, or what is no SQL, is found out, and a text of which SQLite counts other
/// parameters than it is given. Nothing is run.
///
/// ```
/// use fencepost_batch::{lease_store, sql_texts};
/// use fencepost_sqlite::{Migration, prepare};
///
/// const MIGRATIONS: &[Migration] = &[Migration { name: "0001_leases.sql", sql: lease_store::SCHEMA }];
///
/// sql_texts! {
///     HELD = "leases/held", "SELECT l.key FROM job_leases AS l WHERE l.owner_id = ?1";
///     LOST = "leases/lost", "SELECT l.key FROM lost_leases AS l";
/// }
///
/// assert_eq!(prepare(MIGRATIONS, lease_store::texts()), Ok(()));
/// let problem = prepare(MIGRATIONS, texts()).unwrap_err().to_string();
/// assert!(problem.starts_with("leases/lost: no such table: lost_leases"), "{problem}");
/// ```
///
/// # Errors
/// All texts that cannot be prepared; or the first migration that cannot be applied.
pub fn prepare(
    migrations: &[Migration],
    texts: impl IntoIterator<Item = &'static SqlText>,
) -> Result<(), Unprepared> {
    let problem = |name: &str, error: &dyn fmt::Display| format!("{name}: {error}");
    let of_migration = |name: &str, error: rusqlite::Error| Unprepared(vec![problem(name, &error)]);
    let connection = Connection::open_in_memory().map_err(|error| of_migration("a database", error))?;
    connection.execute_batch(CREATE_JOURNAL).map_err(|error| of_migration("the journal", error))?;
    for Migration { name, sql } in migrations {
        connection.execute_batch(sql).map_err(|error| of_migration(name, error))?;
    }
    let problem_of = |text: &'static SqlText| match connection.prepare(text.sql()) {
        // Without the statement, which is long.
        Err(rusqlite::Error::SqlInputError { msg, .. }) => Some(problem(text.name(), &msg)),
        Err(error) => Some(problem(text.name(), &error)),
        Ok(prepared) => {
            let (counted, given) = (prepared.parameter_count(), text.arity());
            let told = format!("SQLite counts {counted} parameters, and it is given {given}");
            (counted != given).then(|| problem(text.name(), &told))
        }
    };
    let problems: Vec<_> = texts.into_iter().filter_map(problem_of).collect();
    if problems.is_empty() { Ok(()) } else { Err(Unprepared(problems)) }
}
