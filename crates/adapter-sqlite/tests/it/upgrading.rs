//! A database of an earlier release is brought up to date, and keeps what it holds.

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicI64},
};

use fencepost_adapter_sqlite::{SqliteOptions, SqliteStore, StoreClock, open, site_in};
use fencepost_domain::{
    id::{PuzzleId, ReportToken},
    results::{DayStats, GameOutcome, GameResult, Recorded, ResultReport, Slot},
    time::UnixMillis,
};
use fencepost_ports::{AnswerPosts, ResultsLog, Verifier, contract::SCHEMA};
use fencepost_sql::migrations::{CREATE_JOURNAL, RECORD};
use sqlx::{AssertSqlSafe, SqlitePool, sqlite::SqliteConnectOptions};

/// Every migration, in order.
pub(crate) const MIGRATIONS: [&str; 9] = [
    "0001_publication.sql",
    "0002_visibility.sql",
    "0003_daily_results.sql",
    "0004_result_tallies.sql",
    "0005_outbox.sql",
    "0006_operator_actions.sql",
    "0007_alert_episodes.sql",
    "0008_retention.sql",
    "0009_builds.sql",
];

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
    INSERT INTO daily_quotas (utc_day, published, quota) VALUES (0, 1, 100);
    UPDATE site_state SET publication_revision = 1, bank_revision = 4";

async fn column(pool: &SqlitePool, sql: String) -> Vec<String> {
    sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(pool).await.unwrap()
}

/// Every row of the tables that the first release had, with the columns that they had.
async fn rows(pool: &SqlitePool) -> Vec<String> {
    const LATER: [&str; 6] = [
        "visibility_instants",
        "daily_results",
        "outbox",
        "outbox_cursor",
        "operator_actions",
        "alert_episodes",
    ];
    const LATER_COLUMNS: [&str; 4] = ["set_quota", "publish_late", "skip_older_than", "build"];
    let mut rows = Vec::new();
    for shape in SCHEMA.iter().filter(|shape| !LATER.contains(&shape.name)) {
        let of_then = |column: &&&str| !LATER_COLUMNS.contains(*column);
        let columns = shape.columns.iter().filter(of_then).copied().collect::<Vec<_>>().join(", ");
        rows.extend(column(pool, format!("SELECT json_array({columns}) FROM {}", shape.name)).await);
    }
    rows
}

/// A session that won puzzle 7 with so many guesses.
fn report(session: &str, guesses_used: i64) -> ResultReport {
    ResultReport {
        puzzle_id: PuzzleId::try_from(7).unwrap(),
        session_id: session.parse().unwrap(),
        result: GameResult::new(GameOutcome::Won, guesses_used).unwrap(),
        token: ReportToken::new(format!("report-of-{session}")),
    }
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
    let store = open(SqliteOptions { clock, ..site_in(&path) }).await.unwrap();

    assert_eq!(rows(&pool).await, before);
    let journal = column(&pool, "SELECT name FROM d1_migrations ORDER BY id".to_owned()).await;
    assert_eq!(journal, MIGRATIONS);
    let instants = "SELECT CAST(instant AS TEXT) FROM visibility_instants ORDER BY instant".to_owned();
    assert_eq!(column(&pool, instants).await, ["1", "2"]);
    let report = report("a-session-of-then", 3);
    assert_eq!(store.report(&report).await, Ok(Recorded::Recorded { slot: Slot::FIRST }));
    assert_eq!(store.violations().await, Ok(Vec::new()));
}

/// The calendar of [`CONTENT`], of which only the first release knew nothing.
const INSTANTS: &str = "INSERT INTO visibility_instants VALUES (1), (2)";

/// A result of puzzle 7, as the release wrote it that had no tallies.
async fn record_as_before(pool: &SqlitePool, slot: i64, outcome: &str, guesses_used: i64) {
    let sql = "INSERT INTO daily_results (puzzle_id, session_id, slot, outcome, guesses_used, report_token, created_at)
               VALUES (7, 'session-of-slot-' || ?1, ?1, ?2, ?3, 'r' || ?1, 1)";
    sqlx::query(sql).bind(slot).bind(outcome).bind(guesses_used).execute(pool).await.unwrap();
}

async fn stats(store: &SqliteStore) -> DayStats {
    let answer = store.answer(UnixMillis::new(1), PuzzleId::try_from(7).unwrap()).await.unwrap();
    answer.value.unwrap().stats
}

#[tokio::test]
async fn results_from_before_the_tallies_are_counted_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fencepost.db");
    let pool = left_behind(&path, &MIGRATIONS[..3]).await;
    sqlx::raw_sql(CONTENT).execute(&pool).await.unwrap();
    sqlx::raw_sql(INSTANTS).execute(&pool).await.unwrap();
    record_as_before(&pool, 1, "won", 2).await;
    record_as_before(&pool, 2, "lost", 6).await;
    let other = "
        INSERT INTO puzzles VALUES (8, '2026-11-29', 1, 2, 'A kettle', 2999, '', NULL, 1, 'e1');
        INSERT INTO publication_items VALUES (8, 'scheduled', 2, 0, 0, NULL);
        INSERT INTO daily_results VALUES (8, 'session-of-slot-1', 1, 'won', 3, 'r1', 1)";
    sqlx::raw_sql(other).execute(&pool).await.unwrap();

    let clock = StoreClock::Manual(Arc::new(AtomicI64::new(1)));
    let store = open(SqliteOptions { clock, ..site_in(&path) }).await.unwrap();
    assert_eq!(stats(&store).await, DayStats { won_with: [0, 1, 0, 0, 0, 0], lost: 1 });
    let recorded = store.report(&report("a-session-of-now", 6)).await;
    assert_eq!(recorded, Ok(Recorded::Recorded { slot: Slot::new(3) }));
    assert_eq!(stats(&store).await, DayStats { won_with: [0, 1, 0, 0, 0, 1], lost: 1 });
    assert_eq!(store.violations().await, Ok(Vec::new()));
}

#[tokio::test]
async fn an_older_program_that_runs_on_leaves_no_wrong_tally_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fencepost.db");
    let pool = left_behind(&path, &MIGRATIONS).await;
    sqlx::raw_sql(CONTENT).execute(&pool).await.unwrap();
    sqlx::raw_sql(INSTANTS).execute(&pool).await.unwrap();
    let clock = StoreClock::Manual(Arc::new(AtomicI64::new(1)));
    let store = open(SqliteOptions { clock, ..site_in(&path) }).await.unwrap();
    store.report(&report("the-first-session", 1)).await.unwrap();
    record_as_before(&pool, 2, "won", 1).await;
    store.report(&report("the-third-session", 4)).await.unwrap();

    let known = "SELECT CAST(slot AS TEXT) FROM daily_results WHERE won_with_1 IS NOT NULL".to_owned();
    assert_eq!(column(&pool, known).await, ["1"]);
    assert_eq!(stats(&store).await, DayStats { won_with: [2, 0, 0, 1, 0, 0], lost: 0 });
    assert_eq!(store.violations().await, Ok(Vec::new()));
}
