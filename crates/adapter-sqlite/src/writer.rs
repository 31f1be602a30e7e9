//! The connection that writes, and whose turn it is.
//!
//! SQLite runs in a thread of its own. It is told all of a batch at once, from `BEGIN
//! IMMEDIATE` on, and reports each statement that it has done. From the number of these
//! reports it is known where an error stands.
//!
//! Whoever waits for the reports may be dropped at any moment: a client hangs up, a deadline
//! passes. SQLite then stops at its next report, in the middle of the transaction. So a
//! connection is kept only after a turn that came to its end. After every other it is let go:
//! its thread ends, and SQLite rolls back what was open. Nothing is sent to it any more, not
//! even ROLLBACK. SQLite may have ended the transaction by itself, when the disk is full, and
//! the driver's thread may not have survived the error, and then nobody would answer.
//! Whoever comes next waits for SQLite's own lock until that is done.
//!
//! This is no pool of one connection: a pool sends for each of its connections that comes
//! back, to see whether it is well, and here the next batch would have to wait for that.

use std::time::Duration;

use futures_util::TryStreamExt;
use sqlx::{
    ConnectOptions, Connection, Either, Executor, SqliteConnection,
    query::Query,
    sqlite::{Sqlite, SqliteArguments, SqliteConnectOptions, SqliteRow},
};
use tokio::{
    sync::{Mutex, MutexGuard},
    time::timeout,
};

use crate::error::is_busy;

/// The one connection that writes. Turns are taken in the order in which they are asked for.
#[derive(Debug)]
pub(crate) struct Writer {
    /// How long a turn is waited for.
    patience: Duration,
    slot: Mutex<Slot>,
}

#[derive(Debug)]
struct Slot {
    /// How to connect; `None` where nothing is written, or no longer.
    connect: Option<SqliteConnectOptions>,
    connection: Option<SqliteConnection>,
}

impl Writer {
    /// Connects when it is first used.
    pub(crate) fn new(connect: SqliteConnectOptions, patience: Duration) -> Self {
        let slot = Slot { connect: Some(connect), connection: None };
        Self { patience, slot: Mutex::new(slot) }
    }

    /// Refuses every turn.
    pub(crate) fn none() -> Self {
        let slot = Slot { connect: None, connection: None };
        Self { patience: Duration::ZERO, slot: Mutex::new(slot) }
    }

    /// Waits for a turn.
    pub(crate) async fn turn(&self) -> Result<Turn<'_>, sqlx::Error> {
        let waiting = timeout(self.patience, self.slot.lock());
        let mut slot = waiting.await.map_err(|_| sqlx::Error::PoolTimedOut)?;
        let Some(connect) = &slot.connect else { return Err(sqlx::Error::PoolClosed) };
        if slot.connection.is_none() {
            slot.connection = Some(connect.connect().await?);
        }
        Ok(Turn { slot, is_over: true })
    }

    /// Lets turns end that were asked for, and closes the connection.
    pub(crate) async fn close(&self) {
        let mut slot = self.slot.lock().await;
        slot.connect = None;
        if let Some(connection) = slot.connection.take() {
            // An error would tell that SQLite is already gone.
            connection.close().await.ok();
        }
    }
}

/// The connection that writes, in the hands of one batch.
pub(crate) struct Turn<'a> {
    slot: MutexGuard<'a, Slot>,
    /// Whether no transaction is open.
    is_over: bool,
}

/// What SQLite reported of a script.
#[derive(Default)]
pub(crate) struct Reports {
    /// How many rows each statement changed that was done. One that cannot change any, such
    /// as a read, repeats the number of the one before it.
    pub(crate) changed: Vec<u64>,
    /// The rows that statements returned, each with how many statements were done before it.
    pub(crate) rows: Vec<(usize, SqliteRow)>,
}

/// A script that was not done with all of its statements.
pub(crate) struct BrokenOff {
    /// How many were done.
    pub(crate) done: usize,
    /// What happened to the next one.
    pub(crate) error: sqlx::Error,
}

impl Turn<'_> {
    /// Runs a script of so many statements, of which the first begins a transaction.
    pub(crate) async fn run(
        &mut self,
        script: Query<'_, Sqlite, SqliteArguments>,
        statements: usize,
    ) -> Result<Reports, BrokenOff> {
        self.is_over = false;
        let mut reports = Reports::default();
        let ended = self.follow(script, statements, &mut reports).await;
        let Err(error) = ended else { return Ok(reports) };
        let done = reports.changed.len();
        // If others are writing, nothing was begun.
        self.is_over = done == 0 && is_busy(&error);
        Err(BrokenOff { done, error })
    }

    /// Writes down what is reported, up to the last statement.
    async fn follow(
        &mut self,
        script: Query<'_, Sqlite, SqliteArguments>,
        statements: usize,
        reports: &mut Reports,
    ) -> Result<(), sqlx::Error> {
        let mut results = self.connection()?.fetch_many(script);
        while reports.changed.len() < statements {
            match results.try_next().await? {
                Some(Either::Left(done)) => reports.changed.push(done.rows_affected()),
                Some(Either::Right(row)) => reports.rows.push((reports.changed.len(), row)),
                None => return Err(sqlx::Error::WorkerCrashed),
            }
        }
        Ok(())
    }

    /// Ends the turn of a script that ended with COMMIT, and was done with it. Every other turn
    /// costs the connection.
    pub(crate) fn end(mut self) {
        self.is_over = true;
    }

    fn connection(&mut self) -> Result<&mut SqliteConnection, sqlx::Error> {
        self.slot.connection.as_mut().ok_or(sqlx::Error::PoolClosed)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.slot.connection = None;
        }
    }
}
