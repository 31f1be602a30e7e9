//! A real file in a folder of its own, as a backend of the contract suite.

use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicI64},
};

use async_trait::async_trait;
use fencepost_adapter_sqlite::{SqliteOptions, SqliteStore, StoreClock, site_in};
use fencepost_domain::id::PuzzleId;
use fencepost_ports::{
    StoreError, Stores,
    contract::{Backend, Fixture, Inspect, ManualClock, Row, SCHEMA, TableShape, Tables},
};
use fencepost_sql::Value;
use sqlx::{
    AssertSqlSafe, Row as _, Sqlite, SqlitePool, TypeInfo, ValueRef,
    sqlite::{SqliteArguments, SqliteConnectOptions},
};
use tempfile::TempDir;

/// A fresh file for every case.
pub(crate) struct SqliteBackend;

/// An open file, and a second connection that looks at its tables.
pub(crate) struct File {
    pub(crate) pool: SqlitePool,
    pub(crate) path: PathBuf,
    _folder: TempDir,
}

/// A fresh file with its clock, and the store on it.
pub(crate) async fn fresh() -> (Arc<SqliteStore>, ManualClock, Arc<File>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fencepost.db");
    let clock = ManualClock::new(fencepost_domain::time::UnixMillis::new(0));
    let cell: Arc<AtomicI64> = clock.shared();
    let options = SqliteOptions { clock: StoreClock::Manual(cell), ..site_in(&path) };
    let store = Arc::new(fencepost_adapter_sqlite::open(options).await.unwrap());
    let pool = SqlitePool::connect_with(SqliteConnectOptions::new().filename(&path)).await.unwrap();
    (store, clock, Arc::new(File { pool, path, _folder: folder }))
}

#[async_trait]
impl Backend for SqliteBackend {
    async fn fresh(&self) -> Fixture {
        let (store, clock, file) = fresh().await;
        Fixture { stores: Stores::of(store), clock, inspect: file }
    }
}

#[async_trait]
impl Inspect for File {
    async fn tables(&self) -> Result<Tables, StoreError> {
        let mut tables = Tables::new();
        for shape in SCHEMA {
            tables.insert(shape.name.to_owned(), self.rows(shape).await);
        }
        Ok(tables)
    }

    async fn plant_results(&self, puzzle: PuzzleId, count: i64) -> Result<(), StoreError> {
        let sql = "WITH RECURSIVE slots (slot) AS (
                     SELECT 1
                     UNION ALL
                     SELECT slot + 1 FROM slots WHERE slot < ?2)
                   INSERT INTO daily_results (puzzle_id, session_id, slot, outcome, guesses_used, created_at,
                     won_with_1, won_with_2, won_with_3, won_with_4, won_with_5, won_with_6)
                   SELECT ?1, printf('planted-session-%05d', slot), slot, 'won', 3, 0, 0, 0, slot, 0, 0, 0
                   FROM slots";
        sqlx::query(sql).bind(puzzle.get()).bind(count).execute(&self.pool).await.unwrap();
        Ok(())
    }
}

/// A statement of a plan under a text that may have been changed, at the instant `now`.
pub(crate) fn bound(
    sql: String,
    params: &[Value],
    now: i64,
) -> sqlx::query::Query<'static, Sqlite, SqliteArguments> {
    params.iter().fold(sqlx::query(AssertSqlSafe(sql)), |query, param| match param {
        Value::Null => query.bind(None::<i64>),
        Value::Integer(integer) => query.bind(*integer),
        Value::Text(text) => query.bind(text.clone()),
        Value::Clock => query.bind(now),
    })
}

impl File {
    async fn rows(&self, shape: &TableShape) -> Vec<Row> {
        let sql = format!("SELECT * FROM {}", shape.name);
        let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(&self.pool).await.unwrap();
        rows.iter().map(row).collect()
    }
}

fn row(row: &sqlx::sqlite::SqliteRow) -> Row {
    use sqlx::Column;
    row.columns().iter().map(|column| (column.name().to_owned(), value(row, column.ordinal()))).collect()
}

fn value(row: &sqlx::sqlite::SqliteRow, at: usize) -> serde_json::Value {
    let raw = row.try_get_raw(at).unwrap();
    if raw.is_null() {
        return serde_json::Value::Null;
    }
    match raw.type_info().name() {
        "INTEGER" => row.get::<i64, _>(at).into(),
        _ => row.get::<String, _>(at).into(),
    }
}
