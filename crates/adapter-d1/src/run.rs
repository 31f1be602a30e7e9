//! Running plans.

use async_trait::async_trait;
use fencepost_plan_store::{PlanRunner, PlanStore, StoreClock, not_raised, raised};
use fencepost_ports::{CallCost, StoreCounts, StoreError};
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
    counts: StoreCounts,
}

impl D1Runner {
    /// Runs plans on `database`. What is bound for the clock is the caller's to say: in
    /// production, the database's clock. Calls are counted in `counts`.
    pub const fn new(database: D1Database, clock: StoreClock, counts: StoreCounts) -> Self {
        Self { database, clock, counts }
    }

    /// Runs statements as one batch, and decodes the rows of the last one.
    #[worker::send]
    async fn run<T>(
        &self,
        name: &'static str,
        writes: &[Statement],
        query: &Query<T>,
    ) -> Result<Vec<T>, StoreError> {
        let prepared = self.prepare_all(writes.iter().chain([&query.statement]))?;
        let statements = count(prepared.len());
        let results = self.database.batch(prepared).await.map_err(|error| classify(&error));
        let cost = results.as_deref().map_or_else(|_| failed(statements), cost);
        self.counts.count(name, cost);
        let results = results?;
        let Some(last) = results.last() else {
            return Err(StoreError::unknown("D1 answered a batch without results"));
        };
        decode(last, query)
    }

    /// Runs statements as one batch that has to fail.
    #[worker::send]
    async fn run_failing<T>(&self, batch: &FailingBatch<T>) -> Result<T, StoreError> {
        let prepared = self.prepare_all(batch.statements())?;
        let statements = count(prepared.len());
        let told = match self.database.batch(prepared).await {
            Ok(_) => Err(not_raised(batch, false)),
            Err(error) => raised(batch, classify(&error)),
        };
        self.counts
            .count(batch.raise.text().name(), CallCost { has_failed: told.is_err(), ..failed(statements) });
        told
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

/// What a call came to that was answered.
fn cost(results: &[D1Result]) -> CallCost {
    let mut cost = CallCost { statements: count(results.len()), ..CallCost::default() };
    for meta in results.iter().filter_map(|result| result.meta().ok().flatten()) {
        let add = |total: Option<u64>, more: Option<usize>| {
            more.map_or(total, |more| Some(total.unwrap_or(0).saturating_add(count(more))))
        };
        cost.rows_read = add(cost.rows_read, meta.rows_read);
        cost.rows_written = add(cost.rows_written, meta.rows_written);
    }
    cost
}

/// What a call came to of which only that is known.
fn failed(statements: u64) -> CallCost {
    CallCost { statements, has_failed: true, ..CallCost::default() }
}

fn count(things: usize) -> u64 {
    u64::try_from(things).unwrap_or(u64::MAX)
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
        .map_err(|error| StoreError::corrupt(error.column(), error.problem()))
}

#[async_trait]
impl PlanRunner for D1Runner {
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError> {
        self.run(batch.name(), &batch.writes, &batch.readback).await
    }

    async fn read<T: Send>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        self.run(query.statement.text().name(), &[], &query).await
    }

    async fn rehearse<T: Send>(&self, batch: FailingBatch<T>) -> Result<T, StoreError> {
        self.run_failing(&batch).await
    }
}
