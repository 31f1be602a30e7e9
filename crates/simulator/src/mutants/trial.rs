//! The contract, on a store without one of its clauses.
//!
//! The argument names a test for every clause. Where that is a case of the contract, the
//! case is put to the test here: on the mutant, it has to fail.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use fencepost_domain::{id::PuzzleId, time::UnixMillis};
use fencepost_plan_store::{PlanRunner, PlanStore};
use fencepost_ports::{
    StoreError, Stores,
    contract::{self, Backend, CASES, Fixture, Inspect, ManualClock, Row, SCHEMA, Tables},
};
use fencepost_sql::{Batch, FailingBatch, Query, catalog};
use futures_util::FutureExt;
use rusqlite::types::ValueRef;

use super::{Mutation, catalogue, proof};
use crate::{
    database::{Call, Database, Rows},
    mutants::SqlEdits,
    ports::{decode, failing, undone},
};

/// A store with some of its texts changed.
struct Broken {
    edits: SqlEdits,
}

#[derive(Clone)]
struct Runner {
    database: Arc<Mutex<Database>>,
    edits: Arc<SqlEdits>,
    clock: ManualClock,
}

#[async_trait]
impl Backend for Broken {
    async fn fresh(&self) -> Fixture {
        let clock = ManualClock::new(UnixMillis::new(0));
        let database = Arc::new(Mutex::new(Database::new().unwrap()));
        let runner = Runner { database, edits: Arc::new(self.edits.clone()), clock: clock.clone() };
        let stores = Stores::of(Arc::new(PlanStore::new(runner.clone())));
        Fixture { stores, clock, inspect: Arc::new(runner) }
    }
}

impl Runner {
    fn database(&self) -> MutexGuard<'_, Database> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, call: &Call) -> Result<Rows, StoreError> {
        self.database().run(call, &self.edits, &mut || self.clock.now().get())
    }
}

#[async_trait]
impl PlanRunner for Runner {
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError> {
        let Batch { writes, readback } = batch;
        decode(&self.run(&Call { writes, read: readback.statement.clone(), raises: false })?, &readback)
    }

    async fn read<T: Send>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        let read = query.statement.clone();
        decode(&self.run(&Call { writes: Vec::new(), read, raises: false })?, &query)
    }

    async fn rehearse<T: Send>(&self, batch: FailingBatch<T>) -> Result<T, StoreError> {
        undone(&batch, self.run(&failing(&batch)))
    }
}

#[async_trait]
impl Inspect for Runner {
    async fn tables(&self) -> Result<Tables, StoreError> {
        let database = self.database();
        let rows = |table: &str| -> rusqlite::Result<Vec<Row>> {
            let mut statement = database.connection.prepare(&format!("SELECT * FROM {table}"))?;
            let names: Vec<_> = statement.column_names().into_iter().map(str::to_owned).collect();
            let row = |row: &rusqlite::Row<'_>| {
                (0..).zip(&names).map(|(at, name)| Ok((name.clone(), json(row.get_ref(at)?)))).collect()
            };
            statement.query_map([], row)?.collect()
        };
        Ok(SCHEMA.iter().map(|shape| (shape.name.to_owned(), rows(shape.name).unwrap())).collect())
    }

    async fn plant_results(&self, _: PuzzleId, _: i64) -> Result<(), StoreError> {
        unreachable!("no clause is about results")
    }
}

fn json(value: ValueRef<'_>) -> serde_json::Value {
    match value {
        ValueRef::Null => serde_json::Value::Null,
        ValueRef::Integer(integer) => integer.into(),
        other => other.as_str().unwrap().into(),
    }
}

/// Whether the store keeps this case of the contract.
pub(super) fn keeps(edits: &SqlEdits, case: &str) -> bool {
    let store = Broken { edits: edits.clone() };
    let ran = catch_unwind(AssertUnwindSafe(|| contract::run(&store, case).now_or_never()));
    ran.is_ok_and(|done| done.is_some())
}

/// Whether the case finds a clause missing: alone, or else together with the line before it,
/// whose absence alone it does not find.
fn finds(case: &str, missing: &Mutation) -> bool {
    let alone = !keeps(&missing.alone.sql, case);
    alone
        || missing
            .behind
            .as_ref()
            .is_some_and(|line| keeps(&line.alone.sql, case) && !keeps(&missing.mutant().sql, case))
}

/// A clause: its text, how it is spelled, what stands there without it, and the case that
/// finds it missing.
pub(super) type Clause = (&'static str, &'static str, &'static str, &'static str);

/// Takes each of these clauses away alone, and demands that its case fails.
pub(super) fn missed(clauses: &[Clause]) {
    let database = Database::new().unwrap();
    for (name, clause, without, case) in clauses {
        let edits = SqlEdits::one(name, *clause, without);
        let text = catalog::texts().into_iter().find(|text| text.name() == *name).unwrap();
        let prepared = database.connection.prepare(edits.text(text));
        assert!(prepared.is_ok(), "{name} without {clause}: {:?}", prepared.err());
        assert!(keeps(&SqlEdits::default(), case), "{case} fails on the program as it is");
        assert!(!keeps(&edits, case), "{case} does not find it missing: {clause} of {name}");
    }
}

#[test]
fn every_text_of_a_mutant_can_be_run() {
    let database = Database::new().unwrap();
    for it in catalogue() {
        let mutant = it.mutant();
        for text in catalog::texts() {
            let prepared = database.connection.prepare(mutant.sql.text(text));
            assert!(prepared.is_ok(), "{}: {:?}", it.clause, prepared.err());
        }
    }
}

#[test]
fn a_case_that_is_named_for_a_clause_fails_without_it() {
    let is_case = |test: &str| CASES.iter().any(|case| case.name == test);
    let of_sql = |it: &Mutation| !it.alone.sql.is_empty();
    let named: Vec<_> =
        catalogue().into_iter().filter(of_sql).map(|it| (proof(it.part, &it.clause), it)).collect();
    for case in named.iter().map(|(test, _)| *test).collect::<BTreeSet<_>>() {
        assert!(is_case(case), "{case} is no case of the contract, and every store has this clause");
        assert!(keeps(&SqlEdits::default(), case), "{case} fails on the program as it is");
    }
    let idle: Vec<_> = named.iter().filter(|(case, it)| !finds(case, it)).collect();
    let told: Vec<_> =
        idle.iter().map(|(case, it)| format!("{case} does not find it missing: {}", it.clause)).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}
