//! A database of an earlier release is brought up to date, and keeps what it holds.

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicI64},
};

use fencepost_adapter_sqlite::{SqliteOptions, StoreClock, open};
use fencepost_domain::{
    id::{PuzzleId, ReportToken},
    results::{GameOutcome, GameResult, Recorded, ResultReport, Slot},
};
use fencepost_ports::{ResultsLog, Verifier, contract::SCHEMA};
use fencepost_sql::migrations::{CREATE_JOURNAL, RECORD};
use sqlx::{AssertSqlSafe, SqlitePool, sqlite::SqliteConnectOptions};

/// The file as it was left by the release that had these migrations and no others.
pub(crate) async fn left_behind(path: &Path, migrations: &[&str]) -> SqlitePool {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let pool = SqlitePool::connect_with(options).await.unwrap();
    sqlx::raw_sql(CREATE_JOURNAL).execute(&pool).await.unwrap();
    for name in migrations {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations").join(name);
        let sql = std::fs::read_to_string(file).unwrap();
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&pool).await.unwrap();
        sqlx::query(RECORD).bind(*name).execute(&pool).await.unwrap();
    }
    pool
}

/// One page, published and counted.
pub(crate) const CONTENT: &str = "
    INSERT INTO job_leases VALUES ('publication:7', 'ada', 3, 0, 5);
    INSERT INTO puzzles VALUES (7, '2026-11-28', 1, 2, 'A teapot', 1899, '', NULL, 1, 'e1');
    INSERT INTO publication_items VALUES (7, 'published', 2, 0, 0, NULL);
    INSERT INTO answer_posts VALUES (7, 1, 'c1', 1, '2026-11-28', 'A teapot', 1899, '', NULL, 0, 3, 3, NULL);
    INSERT INTO commit_receipts VALUES ('c1', 7, 'publish', 'ada', 3, 1, 1, 3);
    INSERT INTO daily_quotas VALUES (0, 1, 100);
    UPDATE site_state SET publication_revision = 1, bank_revision = 4";

async fn column(pool: &SqlitePool, sql: String) -> Vec<String> {
    sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(pool).await.unwrap()
}

/// Every row of the tables that the first release had.
async fn rows(pool: &SqlitePool) -> Vec<String> {
    const LATER: [&str; 2] = ["visibility_instants", "daily_results"];
    let mut rows = Vec::new();
    for shape in SCHEMA.iter().filter(|shape| !LATER.contains(&shape.name)) {
        let columns = shape.columns.join(", ");
        rows.extend(column(pool, format!("SELECT json_array({columns}) FROM {}", shape.name)).await);
    }
    rows
}

#[tokio::test]
async fn a_database_of_the_first_release_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fencepost.db");
    let pool = left_behind(&path, &["0001_publication.sql"]).await;
    sqlx::raw_sql(CONTENT).execute(&pool).await.unwrap();
    let before = rows(&pool).await;
    assert_eq!(before.len(), 7);

    let clock = StoreClock::Manual(Arc::new(AtomicI64::new(1)));
    let store = open(SqliteOptions { clock, ..SqliteOptions::new(&path) }).await.unwrap();

    assert_eq!(rows(&pool).await, before);
    let journal = column(&pool, "SELECT name FROM d1_migrations ORDER BY id".to_owned()).await;
    assert_eq!(journal, ["0001_publication.sql", "0002_visibility.sql", "0003_daily_results.sql"]);
    let instants = "SELECT CAST(instant AS TEXT) FROM visibility_instants ORDER BY instant".to_owned();
    assert_eq!(column(&pool, instants).await, ["1", "2"]);
    let report = ResultReport {
        puzzle_id: PuzzleId::try_from(7).unwrap(),
        session_id: "a-session-of-then".parse().unwrap(),
        result: GameResult::new(GameOutcome::Won, 3).unwrap(),
        token: ReportToken::new("r1"),
    };
    assert_eq!(store.report(&report).await, Ok(Recorded::Recorded { slot: Slot::FIRST }));
    assert_eq!(store.violations().await, Ok(Vec::new()));
}
