//! Running plans.

use async_trait::async_trait;
use fencepost_plan_store::{PlanRunner, PlanStore, StoreClock, not_raised, raised};
use fencepost_ports::StoreError;
use fencepost_sql::{Batch, FailingBatch, Query, Statement, Value, clock::ClockArgument};
use wasm_bindgen::JsValue;
use worker::d1::{D1Database, D1PreparedStatement, D1Result};

use crate::{error::classify, row::JsRow, value::to_js};

/// A store on a D1 database.
pub type D1Store = PlanStore<D1Runner>;

/// Runs plans on a D1 database.
#[derive(Debug)]
pub struct D1Runner {
    database: D1Database,
    clock: StoreClock,
}

impl D1Runner {
    /// Runs plans on `database`. What is bound for the clock is the caller's to say: in
    /// production, the database's clock.
    pub const fn new(database: D1Database, clock: StoreClock) -> Self {
        Self { database, clock }
    }

    /// Runs statements as one batch, and decodes the rows of the last one.
    #[worker::send]
    async fn run<T>(&self, writes: &[Statement], query: &Query<T>) -> Result<Vec<T>, StoreError> {
        let prepared = self.prepare_all(writes.iter().chain([&query.statement]))?;
        let results = self.database.batch(prepared).await.map_err(|error| classify(&error))?;
        let Some(last) = results.last() else {
            return Err(StoreError::unknown("D1 answered a batch without results"));
        };
        decode(last, query)
    }

    /// Runs statements as one batch that has to fail.
    #[worker::send]
    async fn run_failing<T>(&self, batch: &FailingBatch<T>) -> Result<T, StoreError> {
        let prepared = self.prepare_all(batch.statements())?;
        match self.database.batch(prepared).await {
            Ok(_) => Err(not_raised(batch, false)),
            Err(error) => raised(batch, classify(&error)),
        }
    }

    fn prepare_all<'a>(
        &self,
        statements: impl Iterator<Item = &'a Statement>,
    ) -> Result<Vec<D1PreparedStatement>, StoreError> {
        let clock = self.clock.argument();
        statements.map(|statement| self.prepare(statement, clock)).collect()
    }

    fn prepare(
        &self,
        statement: &Statement,
        clock: ClockArgument,
    ) -> Result<D1PreparedStatement, StoreError> {
        let values =
            statement.params().iter().map(|value| bind(value, clock)).collect::<Result<Vec<JsValue>, _>>();
        let refuse = |problem: String| StoreError::refused(format!("{}: {problem}", statement.text().name()));
        self.database
            .prepare(statement.sql())
            .bind(&values.map_err(refuse)?)
            .map_err(|error| classify(&error))
    }
}

fn bind(value: &Value, clock: ClockArgument) -> Result<JsValue, String> {
    match value {
        Value::Clock => to_js(&clock.value()),
        value => to_js(value),
    }
}

/// The rows of a result.
fn decode<T>(result: &D1Result, query: &Query<T>) -> Result<Vec<T>, StoreError> {
    let rows = result.results::<JsRow>().map_err(|error| StoreError::unknown(error.to_string()))?;
    rows.iter()
        .map(|row| query.decode(row))
        .collect::<Result<_, _>>()
        .map_err(|error| StoreError::corrupt(error.column, error.problem))
}

#[async_trait]
impl PlanRunner for D1Runner {
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError> {
        self.run(&batch.writes, &batch.readback).await
    }

    async fn read<T: Send>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        self.run(&[], &query).await
    }

    async fn rehearse<T: Send>(&self, batch: FailingBatch<T>) -> Result<T, StoreError> {
        self.run_failing(&batch).await
    }
}
