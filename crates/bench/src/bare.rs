//! SQLite by its own interface, and nothing in between: what the product is measured beside.
//!
//! It runs the statements of `fencepost-sql` as a hand-written loop would: prepared once, one
//! transaction for a batch, every column of every row looked at. There is no leaner way to
//! the same writes.
//!
//! It is a [`PlanRunner`] too, so every use case runs on it as it runs on the product's own
//! adapter. Only here SQLite tells how much it had to do for it ([`Effort`]), which is the
//! same on every machine and in every run.

use std::{
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use fencepost_adapter_sqlite::Durability;
use fencepost_plan_store::{PlanRunner, PlanStore, not_raised, raised};
use fencepost_ports::StoreError;
use fencepost_sql::{Batch, DecodeError, FailingBatch, Query, Row, Statement, Value};
use rusqlite::{Connection, StatementStatus, types::ValueRef};

/// A store that keeps what the ports promise, by nothing but SQLite.
pub(crate) type BareStore = PlanStore<Bare>;

/// How much SQLite had to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effort {
    /// The instructions of its virtual machine.
    pub(crate) steps: i64,
    /// Rows that it went on to without an index having led there.
    pub(crate) scanned: i64,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Bare(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    connection: Connection,
    effort: Effort,
}

impl Bare {
    /// Opens a file that is there.
    pub(crate) fn open(path: &Path, durability: Durability) -> anyhow::Result<Self> {
        let connection = Connection::open(path)?;
        let level = match durability {
            Durability::Full => "FULL",
            Durability::Normal => "NORMAL",
        };
        connection.pragma_update(None, "synchronous", level)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        // All of a use case's statements stay prepared.
        connection.set_prepared_statement_cache_capacity(200);
        Ok(Self(Mutex::new(Inner { connection, effort: Effort::default() })))
    }

    /// Runs a batch as one transaction, and looks at all that its last statement says.
    pub(crate) fn run<T>(&self, batch: &Batch<T>) -> rusqlite::Result<()> {
        self.inner().run_batch(batch, |row| look_at(row).map(drop))
    }

    /// Runs a statement as a transaction of its own.
    pub(crate) fn execute(&self, statement: &Statement) -> rusqlite::Result<()> {
        self.inner().run(statement, |row| look_at(row).map(drop))
    }

    /// What all this took since it was last asked.
    pub(crate) fn take_effort(&self) -> Effort {
        std::mem::take(&mut self.inner().effort)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn look_at(row: &rusqlite::Row<'_>) -> rusqlite::Result<usize> {
    let columns = row.as_ref().column_count();
    (0..columns)
        .try_fold(0, |nulls, column| Ok(nulls + usize::from(matches!(row.get_ref(column)?, ValueRef::Null))))
}

impl Inner {
    fn run_batch<T>(
        &mut self,
        batch: &Batch<T>,
        on_row: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        self.frame("BEGIN IMMEDIATE")?;
        let ran = batch.writes.iter().try_for_each(|write| self.run(write, |_| Ok(())));
        match ran.and_then(|()| self.run(&batch.readback.statement, on_row)) {
            Ok(()) => self.frame("COMMIT"),
            Err(error) => {
                self.frame("ROLLBACK")?;
                Err(error)
            }
        }
    }

    fn frame(&self, sql: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.raw_execute().map(drop)
    }

    fn run(
        &mut self,
        statement: &Statement,
        mut on_row: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let mut prepared = self.connection.prepare_cached(statement.sql())?;
        for (number, value) in (1..).zip(statement.params()) {
            match value {
                // NULL asks for the database's own clock.
                Value::Null | Value::Clock => prepared.raw_bind_parameter(number, None::<i64>)?,
                Value::Integer(integer) => prepared.raw_bind_parameter(number, integer)?,
                Value::Text(text) => prepared.raw_bind_parameter(number, text)?,
            }
        }
        let mut rows = prepared.raw_query();
        while let Some(row) = rows.next()? {
            on_row(row)?;
        }
        drop(rows);
        self.effort.steps += i64::from(prepared.reset_status(StatementStatus::VmStep));
        self.effort.scanned += i64::from(prepared.reset_status(StatementStatus::FullscanStep));
        Ok(())
    }
}

#[async_trait]
impl PlanRunner for Bare {
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError> {
        let mut rows = Vec::new();
        let ran = self.inner().run_batch(&batch, |row| {
            rows.push(batch.readback.decode(&Decoded(row)));
            Ok(())
        });
        ran.map_err(|error| refusal(&error))?;
        decoded(rows)
    }

    async fn read<T: Send>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        let mut rows = Vec::new();
        let ran = self.inner().run(&query.statement, |row| {
            rows.push(query.decode(&Decoded(row)));
            Ok(())
        });
        ran.map_err(|error| refusal(&error))?;
        decoded(rows)
    }

    async fn rehearse<T: Send>(&self, batch: FailingBatch<T>) -> Result<T, StoreError> {
        let mut inner = self.inner();
        inner.frame("BEGIN IMMEDIATE").map_err(|error| refusal(&error))?;
        let ran = batch.statements().try_for_each(|statement| inner.run(statement, |_| Ok(())));
        inner.frame("ROLLBACK").map_err(|error| refusal(&error))?;
        match ran {
            Ok(()) => Err(not_raised(&batch, true)),
            Err(error) => raised(&batch, refusal(&error)),
        }
    }
}

fn decoded<T>(rows: Vec<Result<T, DecodeError>>) -> Result<Vec<T>, StoreError> {
    let rows: Result<_, _> = rows.into_iter().collect();
    rows.map_err(|error: DecodeError| StoreError::corrupt(error.column(), error.problem()))
}

fn refusal(error: &rusqlite::Error) -> StoreError {
    StoreError::refused(error.to_string())
}

/// A row, as plans decode it.
struct Decoded<'a>(&'a rusqlite::Row<'a>);

impl Row for Decoded<'_> {
    fn integer(&self, column: &'static str) -> Result<Option<i64>, DecodeError> {
        self.0.get(column).map_err(|error| DecodeError::new(column, error.to_string()))
    }

    fn text(&self, column: &'static str) -> Result<Option<String>, DecodeError> {
        self.0.get(column).map_err(|error| DecodeError::new(column, error.to_string()))
    }
}
