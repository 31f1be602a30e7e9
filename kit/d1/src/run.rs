//! Running plans.

use async_trait::async_trait;
use fencepost_batch::{
    Batch, FailingBatch, PlanRunner, Query, Statement, StoreClock, Value, clock::ClockArgument, not_raised,
    raised,
};
use fencepost_core::{CallCost, StoreCounts, StoreError};
use js_sys::{Array, Reflect, futures::JsFuture};
use wasm_bindgen::{JsCast, JsValue};
use worker::{
    d1::{D1Database, D1PreparedStatement},
    worker_sys,
};

use crate::{
    error::{classify, classify_thrown},
    row::JsRow,
    value::{exact_i64, to_js},
};

/// Runs plans on a D1 database: each batch is one call, and a transaction on the primary.
#[derive(Debug)]
pub struct D1Runner {
    database: D1Database,
    clock: StoreClock,
    counts: StoreCounts,
}

impl D1Runner {
    /// Runs plans on `database`. What is bound for the clock is the caller's to say: in
    /// production, the database's clock. Calls are counted in `counts`, with the rows that D1
    /// says it has read and written.
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
        let results = self.batch_all(prepared).await;
        let cost = results.as_ref().map_or_else(|_| failed(statements), cost);
        self.counts.count(name, cost);
        let results = results?;
        let Some(last) = results.length().checked_sub(1) else {
            return Err(StoreError::unknown("D1 answered a batch without results"));
        };
        decode(&results.get(last), query)
    }

    /// Runs statements as one batch that has to fail.
    #[worker::send]
    async fn run_failing<T>(&self, batch: &FailingBatch<T>) -> Result<T, StoreError> {
        let prepared = self.prepare_all(batch.statements())?;
        let statements = count(prepared.len());
        let told = match self.batch_all(prepared).await {
            Ok(_) => Err(not_raised(batch, false)),
            Err(error) => raised(batch, error),
        };
        self.counts
            .count(batch.raise.text().name(), CallCost { has_failed: told.is_err(), ..failed(statements) });
        told
    }

    /// The results of a batch, as they are. What the crate of the platform makes of them is
    /// read by a second way of its own, through which nothing else here goes.
    async fn batch_all(&self, statements: Vec<D1PreparedStatement>) -> Result<Array, StoreError> {
        let statements: Array = statements.iter().map(D1PreparedStatement::inner).collect();
        let database: &JsValue = self.database.as_ref();
        let database: &worker_sys::types::D1Database = database.unchecked_ref();
        let results = JsFuture::from(database.batch(statements).map_err(classify_thrown)?).await;
        results.map_err(classify_thrown)?.dyn_into().map_err(classify_thrown)
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
fn cost(results: &Array) -> CallCost {
    let mut cost = CallCost { statements: results.length().into(), ..CallCost::default() };
    for result in results.iter() {
        let meta = property(&result, "meta");
        let add = |total: Option<u64>, name| {
            let more = property(&meta, name).as_f64().and_then(exact_i64);
            let more = more.and_then(|more| u64::try_from(more).ok());
            more.map_or(total, |more| Some(total.unwrap_or(0).saturating_add(more)))
        };
        cost.rows_read = add(cost.rows_read, "rows_read");
        cost.rows_written = add(cost.rows_written, "rows_written");
    }
    cost
}

/// A property of what may be no object at all.
fn property(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED)
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
fn decode<T>(result: &JsValue, query: &Query<T>) -> Result<Vec<T>, StoreError> {
    let rows = property(result, "results");
    let rows = match rows.dyn_into::<Array>() {
        Ok(rows) => rows,
        // A statement that has none.
        Err(rows) if rows.is_undefined() || rows.is_null() => Array::new(),
        Err(_) => return Err(StoreError::unknown("D1 answered with rows that are no list")),
    };
    rows.iter()
        .map(|row| query.decode(&JsRow(row)))
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
