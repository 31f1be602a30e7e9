//! A query that runs where it is asked for.
//!
//! Some queries look at a few rows that stay in memory, and are asked by every request: for the
//! time and the revisions, above all. They take some ten microseconds, and the way to a thread
//! of a connection and back takes many times as long. So they have a connection without a
//! thread ([`crate::inline`]), on which whoever asks runs them.
//!
//! This holds up a thread of the runtime, and must never do so for long. A reader of the
//! write-ahead log waits for nobody, but for one who recovers the log after a crash; and
//! here, it asks for no patience. (SQLite itself tries again for some seconds if a process was
//! stopped in the few instructions in which it changes the head of the log's index.) Whatever
//! keeps a query from being answered, it has to be asked again in the ordinary way, which waits
//! its turn, and knows what an error means.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use fencepost_batch::{Query, StoreClock};
use fencepost_core::{CallCost, StoreCounts, StoreError};
use rusqlite::Connection;

use crate::{
    SqliteOptions,
    error::refusal,
    inline::{connect, run},
    row::Decoded,
};

/// A connection for queries that run where they are asked for.
#[derive(Debug)]
pub struct PromptReader {
    connection: Mutex<Connection>,
    clock: StoreClock,
    counts: StoreCounts,
}

impl PromptReader {
    /// A further connection to a file that `options` have opened.
    ///
    /// # Errors
    /// A file that cannot be opened once more.
    pub fn open(options: &SqliteOptions) -> Result<Self, StoreError> {
        let connected = connect(options, Duration::ZERO).and_then(|connection| {
            connection.pragma_update(None, "query_only", true)?;
            Ok(connection)
        });
        let connection = connected.map_err(|error| refusal(&error))?;
        let (clock, counts) = (options.clock.clone(), options.counts.clone());
        Ok(Self { connection: Mutex::new(connection), clock, counts })
    }

    /// The last row of a query, if it can be had at once.
    pub fn at_once<T>(&self, query: &Query<T>) -> Option<T> {
        let mut told = None;
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let on_row = |row: &rusqlite::Row<'_>| told = query.decode(&Decoded(row)).ok();
        run(&connection, &query.statement, self.clock.argument(), on_row).ok()?;
        let told = told?;
        let cost = CallCost { statements: 1, ..CallCost::default() };
        self.counts.count(query.statement.text().name(), cost);
        Some(told)
    }
}
