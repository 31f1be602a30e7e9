//! A connection without a thread: a statement runs where it is asked for.
//!
//! A connection of sqlx is a thread of its own. A question travels there and its answer back,
//! and the two journeys take longer than most statements do. Here nothing travels. Whoever
//! asks is kept until SQLite has answered, and so is the thread that it runs on: each of the
//! two that ask this way ([`crate::prompt`], [`crate::writer`]) tells why it may.

use std::time::Duration;

use fencepost_batch::{Statement, Value, clock::ClockArgument};
use rusqlite::{Connection, OpenFlags, ToSql};

use crate::SqliteOptions;

/// How many statements stay prepared on each connection.
pub const STATEMENTS_KEPT: usize = 512;

/// A connection to a file that is there, as sqlx makes them for the same options. Once it is
/// made, it waits for others who lock the file for so long at a time.
pub(crate) fn connect(options: &SqliteOptions, spell: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_PRIVATE_CACHE
        | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(&options.path, flags)?;
    connection.busy_timeout(options.busy_timeout)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "synchronous", options.durability.level())?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    connection.busy_timeout(spell)?;
    Ok(connection)
}

/// Runs a statement, shows each of its rows, and returns how many rows it changed. By itself,
/// it has ended when this returns, so that the next one sees what was committed meanwhile.
pub(crate) fn run(
    connection: &Connection,
    statement: &Statement,
    clock: ClockArgument,
    mut on_row: impl FnMut(&rusqlite::Row<'_>),
) -> rusqlite::Result<u64> {
    let mut prepared = connection.prepare_cached(statement.sql())?;
    bind(&mut prepared, statement.params(), &clock.value())?;
    let mut rows = prepared.raw_query();
    while let Some(row) = rows.next()? {
        on_row(row);
    }
    drop(rows);
    // After a read, SQLite would tell once more what the statement before it changed.
    Ok(if prepared.readonly() { 0 } else { connection.changes() })
}

/// Runs a statement that frames others.
pub(crate) fn frame(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.raw_execute().map(drop)
}

/// Binds the parameters `?1…?n`. D1 refuses a wrong number of them, SQLite would bind NULL.
fn bind(statement: &mut rusqlite::Statement<'_>, values: &[Value], clock: &Value) -> rusqlite::Result<()> {
    let expected = statement.parameter_count();
    if values.len() != expected {
        return Err(rusqlite::Error::InvalidParameterCount(values.len(), expected));
    }
    for (nth, value) in (1..).zip(values) {
        let value: &dyn ToSql = match if *value == Value::Clock { clock } else { value } {
            Value::Null | Value::Clock => &None::<i64>,
            Value::Integer(integer) => integer,
            Value::Text(text) => text,
        };
        statement.raw_bind_parameter(nth, value)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_takes_as_many_values_as_it_names() {
        let connection = Connection::open_in_memory().unwrap();
        let mut statement = connection.prepare("SELECT ?2").unwrap();
        let mut told = |values: &[Value]| {
            bind(&mut statement, values, &Value::Integer(3))?;
            statement.raw_query().next()?.unwrap().get(0)
        };
        assert_eq!(told(&[Value::Null, Value::Integer(2)]), Ok(Some(2)));
        assert_eq!(told(&[Value::Null, Value::Clock]), Ok(Some(3)));
        assert_eq!(told(&[Value::Integer(1), Value::Null]), Ok(None));
        for few_or_many in [vec![], vec![Value::Null], vec![Value::Null; 3]] {
            let wrong = Err(rusqlite::Error::InvalidParameterCount(few_or_many.len(), 2));
            assert_eq!(told(&few_or_many), wrong);
        }
    }
}
