//! The real SQL on an SQLite in memory.
//!
//! Nothing but the plans' own texts is run for the workers. Each statement reads the clock
//! for itself, as on D1, where it moves between two statements of a batch: so the argument
//! is bound statement by statement.

use std::{collections::BTreeMap, sync::Arc};

use fencepost_batch::texts::failed_assertion;
use fencepost_ports::{StoreError, StoreErrorKind};
use fencepost_sql::{DecodeError, Row, Statement, Value, clock::ClockArgument, migrations::CREATE_JOURNAL};
use rusqlite::{Connection, types::Value as Cell};

use crate::mutants::SqlEdits;

/// The tables, in an order in which they can be emptied.
const TABLES: [&str; 15] = [
    "operator_actions",
    "daily_results",
    "outbox",
    "alert_episodes",
    "outbox_cursor",
    "commit_receipts",
    "answer_posts",
    "source_images",
    "publication_items",
    "visibility_instants",
    "daily_quotas",
    "job_runs",
    "bank_edits",
    "job_leases",
    "puzzles",
];

const MIGRATIONS: [&str; 9] = [
    include_str!("../../../migrations/0001_publication.sql"),
    include_str!("../../../migrations/0002_visibility.sql"),
    include_str!("../../../migrations/0003_daily_results.sql"),
    include_str!("../../../migrations/0004_result_tallies.sql"),
    include_str!("../../../migrations/0005_outbox.sql"),
    include_str!("../../../migrations/0006_operator_actions.sql"),
    include_str!("../../../migrations/0007_alert_episodes.sql"),
    include_str!("../../../migrations/0008_retention.sql"),
    include_str!("../../../migrations/0009_builds.sql"),
];

/// One call: the statements of a batch, and the read at its end.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) writes: Vec<Statement>,
    pub(crate) read: Statement,
    /// Whether the last statement raises, and all is undone.
    pub(crate) raises: bool,
}

impl Call {
    /// What it is called in a history: the name of its first statement.
    pub(crate) fn name(&self) -> &'static str {
        self.writes.first().unwrap_or(&self.read).text().name()
    }

    pub(crate) fn writes(&self) -> bool {
        !self.writes.is_empty() && !self.raises
    }
}

/// A database that is emptied and used again, so that its statements stay prepared.
pub(crate) struct Database {
    pub(crate) connection: Connection,
    columns: BTreeMap<&'static str, Arc<[String]>>,
}

impl Database {
    pub(crate) fn new() -> rusqlite::Result<Self> {
        let connection = Connection::open_in_memory()?;
        connection.set_prepared_statement_cache_capacity(512);
        // As beside every database that was migrated by anybody.
        connection.execute_batch(CREATE_JOURNAL)?;
        for migration in MIGRATIONS {
            connection.execute_batch(migration)?;
        }
        Ok(Self { connection, columns: BTreeMap::new() })
    }

    /// An empty bank.
    pub(crate) fn empty(&self) -> rusqlite::Result<()> {
        self.connection.execute_batch("BEGIN")?;
        for table in TABLES {
            self.connection.prepare_cached(&format!("DELETE FROM {table}"))?.execute([])?;
        }
        let state = "UPDATE site_state
                     SET publication_revision = 0, bank_revision = 0, paused = 0, publish_late = 1, skip_older_than = NULL";
        self.connection.prepare_cached(state)?.execute([])?;
        self.connection.execute_batch("COMMIT")
    }

    /// How many rows were ever written: tells whether there is anything new.
    pub(crate) fn writes_so_far(&self) -> u64 {
        self.connection.total_changes()
    }

    /// Runs a call as a whole. `clock` is asked once per statement.
    pub(crate) fn run(
        &mut self,
        call: &Call,
        edits: &SqlEdits,
        clock: &mut dyn FnMut() -> i64,
    ) -> Result<Rows, StoreError> {
        if call.writes.is_empty() {
            return self.query(&call.read, edits, clock()).map_err(|error| refusal(&error));
        }
        self.frame("BEGIN IMMEDIATE").map_err(|error| refusal(&error))?;
        match self.run_all(call, edits, clock) {
            Ok(_) if call.raises => {
                self.frame("ROLLBACK").map_err(|error| refusal(&error))?;
                Err(StoreError::new(StoreErrorKind::Assertion, "the last statement did not raise"))
            }
            Ok(rows) => self.frame("COMMIT").map(|()| rows).map_err(|error| refusal(&error)),
            Err(error) => {
                let refused = refusal(&error);
                self.frame("ROLLBACK").map_err(|error| refusal(&error))?;
                Err(refused)
            }
        }
    }

    fn run_all(
        &mut self,
        call: &Call,
        edits: &SqlEdits,
        clock: &mut dyn FnMut() -> i64,
    ) -> rusqlite::Result<Rows> {
        for write in &call.writes {
            let sql = edits.text(write.text());
            let mut statement = self.connection.prepare_cached(sql)?;
            bind(&mut statement, write.params(), clock())?;
            statement.raw_execute()?;
        }
        self.query(&call.read, edits, clock())
    }

    fn query(&mut self, query: &Statement, edits: &SqlEdits, clock: i64) -> rusqlite::Result<Rows> {
        let mut statement = self.connection.prepare_cached(edits.text(query.text()))?;
        let columns = self
            .columns
            .entry(query.text().name())
            .or_insert_with(|| statement.column_names().into_iter().map(str::to_owned).collect())
            .clone();
        bind(&mut statement, query.params(), clock)?;
        let mut found = Vec::new();
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next()? {
            found.push((0..columns.len()).map(|at| row.get(at)).collect::<rusqlite::Result<_>>()?);
        }
        Ok(Rows { columns, rows: found })
    }

    fn frame(&self, sql: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute([]).map(drop)
    }
}

/// A text that was broken on purpose may have fewer parameters than there are values.
fn bind(statement: &mut rusqlite::Statement<'_>, params: &[Value], clock: i64) -> rusqlite::Result<()> {
    for (number, value) in (1..=statement.parameter_count()).zip(params) {
        match value {
            Value::Null => statement.raw_bind_parameter(number, rusqlite::types::Null)?,
            Value::Integer(integer) => statement.raw_bind_parameter(number, integer)?,
            Value::Text(text) => statement.raw_bind_parameter(number, text)?,
            Value::Clock => match ClockArgument::At(clock).value() {
                Value::Integer(instant) => statement.raw_bind_parameter(number, instant)?,
                _ => statement.raw_bind_parameter(number, rusqlite::types::Null)?,
            },
        }
    }
    Ok(())
}

fn refusal(error: &rusqlite::Error) -> StoreError {
    let message = error.to_string();
    let kind = if failed_assertion(&message).is_some() {
        StoreErrorKind::Assertion
    } else {
        StoreErrorKind::Refused
    };
    StoreError::new(kind, message)
}

/// What a call returned, to be decoded by whoever asked.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    columns: Arc<[String]>,
    rows: Vec<Vec<Cell>>,
}

impl Rows {
    /// The answer in a few words, for a history.
    pub(crate) fn told(&self) -> String {
        match self.rows.as_slice() {
            [] => "-> nothing".to_owned(),
            [row] => {
                let told = |cell: &Cell| match cell {
                    Cell::Integer(integer) => integer.to_string(),
                    Cell::Text(text) => text.chars().take(40).collect::<String>().replace('\n', " "),
                    other => format!("{other:?}"),
                };
                // What is not there says nothing.
                let there = self.columns.iter().zip(row).filter(|(_, cell)| **cell != Cell::Null);
                let cells = there.map(|(name, cell)| format!("{name}={}", told(cell)));
                format!("-> {}", cells.collect::<Vec<_>>().join(" "))
            }
            rows => format!("-> {} rows", rows.len()),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = OneRow<'_>> {
        self.rows.iter().map(|cells| OneRow { columns: &self.columns, cells })
    }
}

/// One row of an answer.
pub(crate) struct OneRow<'a> {
    columns: &'a [String],
    cells: &'a [Cell],
}

impl OneRow<'_> {
    fn cell(&self, column: &'static str) -> Result<&Cell, DecodeError> {
        let at = self.columns.iter().position(|name| name == column);
        at.map(|at| &self.cells[at])
            .ok_or_else(|| DecodeError::new(column, "there is no such column".to_owned()))
    }
}

impl Row for OneRow<'_> {
    fn integer(&self, column: &'static str) -> Result<Option<i64>, DecodeError> {
        match self.cell(column)? {
            Cell::Null => Ok(None),
            Cell::Integer(integer) => Ok(Some(*integer)),
            other => Err(DecodeError::new(column, format!("{other:?} is no integer"))),
        }
    }

    fn text(&self, column: &'static str) -> Result<Option<String>, DecodeError> {
        match self.cell(column)? {
            Cell::Null => Ok(None),
            Cell::Text(text) => Ok(Some(text.clone())),
            other => Err(DecodeError::new(column, format!("{other:?} is no text"))),
        }
    }
}
