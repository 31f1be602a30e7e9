//! The connection that writes, and whose turn it is.
//!
//! What writes runs where it is asked for ([`crate::inline`]), one batch at a time. A turn is
//! waited for; whoever has it does not wait any more before it is over, but for SQLite. So a
//! call that is dropped, because a client has hung up or a deadline has passed, was dropped
//! while it waited for its turn and has done nothing, or it is over. There is no middle in
//! which it could be given up.
//!
//! SQLite may take its time: it waits for the disk, and up to the busy timeout for other
//! processes that write. That holds up one thread, since whoever else wants to write waits
//! for a turn. On a runtime of several threads, the others take over what this one would have
//! had to do meanwhile.
//!
//! A transaction that is still open at the end of a turn is rolled back, whoever left it. The
//! connection is put back only once SQLite says that there is none. Otherwise it is let go,
//! as it is by a panic, and SQLite rolls back what was open on it; the next turn connects
//! anew.

use std::time::Duration;

use fencepost_core::StoreError;
use rusqlite::Connection;
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::Mutex,
    time::timeout,
};

use crate::{
    SqliteOptions,
    error::{Fault, is_busy, refusal},
    inline,
};

/// For how long SQLite waits for a lock by itself, before it is told to wait again.
const SPELL: Duration = Duration::from_millis(20);

/// The one connection that writes. Turns are taken in the order in which they are asked for.
#[derive(Debug)]
pub(crate) struct Writer {
    /// How long a turn is waited for.
    patience: Duration,
    /// How often another process's lock is waited for, for a [`SPELL`] each.
    spells: u128,
    slot: Mutex<Slot>,
}

#[derive(Debug)]
struct Slot {
    /// How to connect; `None` where nothing is written, or no longer.
    options: Option<SqliteOptions>,
    /// No transaction is open on it.
    connection: Option<Connection>,
}

impl Writer {
    /// Connects when it is first used.
    pub(crate) fn new(options: SqliteOptions, patience: Duration) -> Self {
        let spells = options.busy_timeout.as_millis().div_ceil(SPELL.as_millis());
        let slot = Slot { options: Some(options), connection: None };
        Self { patience, spells, slot: Mutex::new(slot) }
    }

    /// Refuses every turn.
    pub(crate) fn none() -> Self {
        let slot = Slot { options: None, connection: None };
        Self { patience: Duration::ZERO, spells: 0, slot: Mutex::new(slot) }
    }

    /// Waits for a turn, and does something with it, all at once. What is then left of a
    /// transaction is rolled back.
    pub(crate) async fn turn<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let waiting = timeout(self.patience, self.slot.lock());
        let mut slot = waiting.await.map_err(|_| refusal(Fault::waited_too_long()))?;
        aside(|| slot.turn(work))
    }

    /// Begins a transaction in a turn, once no other process has one, within the busy timeout.
    ///
    /// The longer SQLite waits, the more rarely it looks, and at last ten times a second. The
    /// lock of a process that writes all the time is free for some microseconds now and then,
    /// and it would be missed for seconds.
    pub(crate) fn begin(&self, connection: &Connection) -> rusqlite::Result<()> {
        let mut waited = 0;
        loop {
            waited += 1;
            match inline::frame(connection, "BEGIN IMMEDIATE") {
                Err(error) if waited < self.spells && is_busy(&error) => {}
                other => return other,
            }
        }
    }

    /// Lets turns end that were asked for, and closes the connection.
    pub(crate) async fn close(&self) {
        let mut slot = self.slot.lock().await;
        slot.options = None;
        aside(|| slot.connection = None);
    }
}

impl Slot {
    fn turn<T>(&mut self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let options = self.options.as_ref().ok_or_else(|| refusal(Fault::closed()))?;
        // Out of its place, so that a panic lets go of it.
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                inline::connect(options, SPELL.min(options.busy_timeout)).map_err(|error| refusal(&error))?
            }
        };
        let told = work(&connection);
        self.connection = free(connection);
        told
    }
}

/// A connection on which no transaction is open, if that can be had. SQLite has ended it by
/// itself when the disk was full, and then there is nothing to roll back.
fn free(connection: Connection) -> Option<Connection> {
    let is_free = connection.is_autocommit()
        || inline::frame(&connection, "ROLLBACK").is_ok() && connection.is_autocommit();
    is_free.then_some(connection)
}

/// Does what may keep its thread for long, and lets the runtime's other tasks go on meanwhile
/// where there is another thread for them.
fn aside<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        sync::{Arc, mpsc},
        task::Poll,
    };

    use rusqlite::hooks::{AuthAction, AuthContext, Authorization, TransactionOperation};
    use tempfile::TempDir;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// A writer on a file with one number, which is 0.
    fn fresh() -> (TempDir, Arc<Writer>) {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path().join("writer.db"), &[]);
        let made = Connection::open(&options.path).unwrap();
        made.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE one (n); INSERT INTO one VALUES (0)")
            .unwrap();
        (folder, Arc::new(Writer::new(options, LONG)))
    }

    fn execute(connection: &Connection, sql: &str) {
        connection.execute_batch(sql).unwrap();
    }

    fn integer(connection: &Connection, sql: &str) -> i64 {
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// The number, and whether the connection is the one that was [marked](mark).
    async fn seen(writer: &Writer) -> (i64, bool) {
        let look = |connection: &Connection| {
            assert!(connection.is_autocommit());
            Ok((integer(connection, "SELECT n FROM one"), integer(connection, "PRAGMA cache_size") == 77))
        };
        writer.turn(look).await.unwrap()
    }

    /// Gives the connection something to be known by.
    async fn mark(writer: &Writer) {
        let mark = |connection: &Connection| {
            execute(connection, "PRAGMA cache_size = 77");
            Ok(())
        };
        writer.turn(mark).await.unwrap();
    }

    #[tokio::test]
    async fn what_a_turn_leaves_open_is_rolled_back_and_the_connection_is_kept() {
        let (_folder, writer) = fresh();
        mark(&writer).await;
        for sql in ["BEGIN IMMEDIATE; UPDATE one SET n = 1", "BEGIN; SELECT n FROM one"] {
            let left = |connection: &Connection| {
                execute(connection, sql);
                Ok(())
            };
            writer.turn(left).await.unwrap();
            assert_eq!(seen(&writer).await, (0, true), "{sql}");
        }
    }

    #[tokio::test]
    async fn a_connection_on_which_nothing_can_be_rolled_back_is_let_go() {
        let (_folder, writer) = fresh();
        mark(&writer).await;
        let refuse = |context: AuthContext<'_>| match context.action {
            AuthAction::Transaction { operation: TransactionOperation::Rollback } => Authorization::Deny,
            _ => Authorization::Allow,
        };
        let left = |connection: &Connection| {
            connection.authorizer(Some(refuse)).unwrap();
            execute(connection, "BEGIN IMMEDIATE; UPDATE one SET n = 1");
            Ok(())
        };
        writer.turn(left).await.unwrap();
        assert_eq!(seen(&writer).await, (0, false));
    }

    #[tokio::test]
    async fn a_panic_costs_the_connection_and_nothing_else() {
        let (_folder, writer) = fresh();
        mark(&writer).await;
        let panicking = Arc::clone(&writer);
        let ended = tokio::spawn(async move {
            let panic = |connection: &Connection| -> Result<(), StoreError> {
                execute(connection, "BEGIN IMMEDIATE; UPDATE one SET n = 1");
                panic!("a row that nobody thought of");
            };
            panicking.turn(panic).await
        });
        assert!(ended.await.unwrap_err().is_panic());
        assert_eq!(seen(&writer).await, (0, false));
    }

    /// One thread for all tasks, so none would run while a turn keeps it.
    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn whoever_gives_up_waiting_for_a_turn_has_done_nothing_and_is_in_nobodys_way() {
        let (_folder, writer) = fresh();
        let (go_on, is_to_go_on) = mpsc::channel::<()>();
        let (begins, has_begun) = tokio::sync::oneshot::channel();
        let long = Arc::clone(&writer);
        let long = tokio::spawn(async move {
            let work = move |connection: &Connection| {
                begins.send(()).unwrap();
                is_to_go_on.recv_timeout(LONG).expect("others go on meanwhile");
                execute(connection, "UPDATE one SET n = n + 1");
                Ok(())
            };
            long.turn(work).await.unwrap();
        });
        has_begun.await.unwrap();
        let impatient = Arc::clone(&writer);
        let others = tokio::spawn(async move {
            let mut waiting = Box::pin(impatient.turn(|connection| {
                execute(connection, "UPDATE one SET n = n + 10");
                Ok(())
            }));
            let polled = poll_fn(|context| Poll::Ready(waiting.as_mut().poll(context).is_pending())).await;
            assert!(polled, "it is another one's turn");
            drop(waiting);
            go_on.send(()).unwrap();
        });
        others.await.unwrap();
        long.await.unwrap();
        assert_eq!(seen(&writer).await.0, 1);
    }

    #[tokio::test]
    async fn a_writer_that_was_closed_refuses() {
        let (_folder, writer) = fresh();
        assert_eq!(seen(&writer).await, (0, false));
        writer.close().await;
        let refused = writer.turn(|_| Ok(())).await.unwrap_err();
        assert!(refused.to_string().contains("closed"), "{refused}");
    }
}
