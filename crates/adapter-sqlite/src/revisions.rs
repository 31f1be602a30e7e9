//! Time and revision, read where they are asked for.
//!
//! A connection of sqlx is a thread of its own: a question travels there and its answer
//! back, and for the one query with which every request begins, the two journeys take many
//! times as long as the query. It looks at four rows that stay in memory, and takes some ten
//! microseconds. So it has a connection without a thread, on which whoever asks runs it.
//!
//! This holds up a thread of the runtime, and must never do so for long. A reader of the
//! write-ahead log waits for nobody, but for one who recovers the log after a crash; and
//! here, it asks for no patience. (SQLite itself tries again for some seconds if a process was
//! stopped in the few instructions in which it changes the head of the log's index.) Whatever
//! keeps the query from being answered, it is asked again in the ordinary way, which waits its
//! turn, and knows what an error means.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use fencepost_domain::revision::SiteMoment;
use fencepost_plan_store::StoreClock;
use fencepost_ports::{CallCost, RevisionSource, StoreCounts, StoreError};
use fencepost_sql::{DecodeError, Query, Row, Value, clock::ClockArgument, revision_source};
use rusqlite::{Connection, OpenFlags, ToSql, types::FromSql};

use crate::{SqliteOptions, SqliteStore};

/// Time and revision of a store, on a connection without a thread.
pub struct SqliteRevisions {
    connection: Mutex<Connection>,
    clock: StoreClock,
    counts: StoreCounts,
    store: Arc<SqliteStore>,
}

impl SqliteRevisions {
    /// A further connection to a store that `options` have opened.
    ///
    /// # Errors
    /// A file that cannot be opened once more.
    pub fn open(options: &SqliteOptions, store: Arc<SqliteStore>) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&options.path, flags)
            .and_then(|connection| {
                connection.busy_timeout(std::time::Duration::ZERO)?;
                connection.pragma_update(None, "query_only", true)?;
                Ok(connection)
            })
            .map_err(|error| StoreError::refused(error.to_string()))?;
        let (clock, counts) = (options.clock.clone(), options.counts.clone());
        Ok(Self { connection: Mutex::new(connection), clock, counts, store })
    }

    /// The moment, if it can be had at once.
    fn at_once(&self) -> Option<SiteMoment> {
        let query = revision_source::moment();
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let moment = run(&connection, &query, self.clock.argument()).ok()?;
        let cost = CallCost { statements: 1, ..CallCost::default() };
        self.counts.count(query.statement.text().name(), cost);
        Some(moment)
    }
}

#[async_trait]
impl RevisionSource for SqliteRevisions {
    async fn moment(&self) -> Result<SiteMoment, StoreError> {
        match self.at_once() {
            Some(moment) => Ok(moment),
            None => self.store.moment().await,
        }
    }
}

/// Runs a query that has one row. What it began has ended when this returns, so the next one
/// sees what was committed meanwhile.
fn run<T>(connection: &Connection, query: &Query<T>, clock: ClockArgument) -> Result<T, Unanswered> {
    let mut statement = connection.prepare_cached(query.statement.sql())?;
    for (nth, value) in (1..).zip(query.statement.params()) {
        let clock = clock.value();
        let value: &dyn ToSql = match if *value == Value::Clock { &clock } else { value } {
            Value::Null | Value::Clock => &None::<i64>,
            Value::Integer(integer) => integer,
            Value::Text(text) => text,
        };
        statement.raw_bind_parameter(nth, value)?;
    }
    let mut rows = statement.raw_query();
    let row = rows.next()?.ok_or(Unanswered)?;
    query.decode(&Decoded(row)).map_err(|_| Unanswered)
}

/// Why does not matter: it is asked again, and whoever answers then tells.
struct Unanswered;

impl From<rusqlite::Error> for Unanswered {
    fn from(_: rusqlite::Error) -> Self {
        Self
    }
}

struct Decoded<'a>(&'a rusqlite::Row<'a>);

impl Decoded<'_> {
    fn get<T: FromSql>(&self, column: &'static str) -> Result<Option<T>, DecodeError> {
        self.0.get(column).map_err(|error| DecodeError::new(column, error.to_string()))
    }
}

impl Row for Decoded<'_> {
    fn integer(&self, column: &'static str) -> Result<Option<i64>, DecodeError> {
        self.get(column)
    }

    fn text(&self, column: &'static str) -> Result<Option<String>, DecodeError> {
        self.get(column)
    }
}
