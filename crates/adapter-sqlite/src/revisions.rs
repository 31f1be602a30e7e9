//! Time and revision, read where they are asked for.
//!
//! The one query with which every request begins looks at four rows that stay in memory, and
//! takes some ten microseconds. So it has a connection without a thread ([`crate::inline`]),
//! on which whoever asks runs it.
//!
//! This holds up a thread of the runtime, and must never do so for long. A reader of the
//! write-ahead log waits for nobody, but for one who recovers the log after a crash; and
//! here, it asks for no patience. (SQLite itself tries again for some seconds if a process was
//! stopped in the few instructions in which it changes the head of the log's index.) Whatever
//! keeps the query from being answered, it is asked again in the ordinary way, which waits its
//! turn, and knows what an error means.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use fencepost_domain::revision::SiteMoment;
use fencepost_plan_store::StoreClock;
use fencepost_ports::{CallCost, RevisionSource, StoreCounts, StoreError};
use fencepost_sql::revision_source;
use rusqlite::Connection;

use crate::{
    SqliteOptions, SqliteStore,
    error::refusal,
    inline::{connect, run},
    row::Decoded,
};

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
        let connected = connect(options, Duration::ZERO).and_then(|connection| {
            connection.pragma_update(None, "query_only", true)?;
            Ok(connection)
        });
        let connection = connected.map_err(|error| refusal(&error))?;
        let (clock, counts) = (options.clock.clone(), options.counts.clone());
        Ok(Self { connection: Mutex::new(connection), clock, counts, store })
    }

    /// The moment, if it can be had at once.
    fn at_once(&self) -> Option<SiteMoment> {
        let query = revision_source::moment();
        let mut moment = None;
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let on_row = |row: &rusqlite::Row<'_>| moment = query.decode(&Decoded(row)).ok();
        run(&connection, &query.statement, self.clock.argument(), on_row).ok()?;
        let moment = moment?;
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
