//! A batch happens as a whole: it binds what it was given, breaks off wherever that is, and
//! is over once it has begun, while the other tasks of its runtime go on.

use std::{future::poll_fn, pin::pin, sync::Arc, task::Poll, time::Duration};

use fencepost_adapter_sqlite::{SqliteOptions, SqliteStore, open, site_in};
use fencepost_domain::{
    action::{ActionKind, Actor},
    commit::{Commit, CommitKind},
    id::{CommitToken, OwnerId, PuzzleId, RunId},
    puzzle::PuzzleRow,
};
use fencepost_ports::{
    BankEdit, Job, JobRuns, PublicationLedger, PuzzleBank, StoreErrorKind,
    contract::{Inspect, ManualClock},
};
use sqlx::{AssertSqlSafe, ConnectOptions, Row, sqlite::SqliteConnectOptions};

use crate::{
    backend::{File, fresh},
    guard_weight::{NOW, attempt, ready_for},
};

async fn run_sql(file: &File, sql: impl Into<String>) {
    sqlx::raw_sql(AssertSqlSafe(sql.into())).execute(&file.pool).await.unwrap();
}

/// A page that is about to be published by a person: seven writes, each to another table.
async fn prepared() -> (Arc<SqliteStore>, ManualClock, Arc<File>, Commit) {
    let (store, clock, file) = fresh().await;
    for sql in ready_for(CommitKind::Publish) {
        run_sql(&file, sql).await;
    }
    clock.set(fencepost_domain::time::UnixMillis::new(NOW));
    let by = Some(Actor::new("Ada", None).unwrap().does(ActionKind::Republish));
    (store, clock, file, Commit { by, ..attempt(CommitKind::Publish, true) })
}

/// The tables that the commit of [`prepared`] writes to, in its order, and how.
const WRITES: [(&str, &str); 7] = [
    ("answer_posts", "INSERT"),
    ("publication_items", "UPDATE"),
    ("site_state", "UPDATE"),
    ("commit_receipts", "INSERT"),
    ("daily_quotas", "UPDATE"),
    ("operator_actions", "INSERT"),
    ("job_leases", "UPDATE"),
];

#[tokio::test]
async fn whatever_statement_fails_nothing_is_kept_and_the_next_batch_works() {
    for (table, change) in WRITES {
        for how in ["ABORT", "FAIL", "ROLLBACK"] {
            let case = format!("{how} at {table}");
            let (store, _clock, file, commit) = prepared().await;
            let before = file.tables().await.unwrap();
            run_sql(
                &file,
                format!("CREATE TRIGGER no BEFORE {change} ON {table} BEGIN SELECT RAISE({how}, 'no'); END"),
            )
            .await;
            let error = store.commit(&commit).await.unwrap_err();
            assert_eq!((error.kind(), error.may_have_written()), (StoreErrorKind::Refused, false), "{case}");
            assert_eq!(file.tables().await.unwrap(), before, "{case}");
            run_sql(&file, "DROP TRIGGER no").await;
            assert!(store.commit(&commit).await.unwrap().landed, "{case}");
        }
    }
}

#[tokio::test]
async fn a_read_back_that_raises_undoes_the_writes() {
    let (store, _clock, file, commit) = prepared().await;
    let before = file.tables().await.unwrap();
    let wrong = "UPDATE site_state SET publication_revision = publication_revision + 1";
    run_sql(&file, format!("CREATE TRIGGER twice AFTER UPDATE ON job_leases BEGIN {wrong}; END")).await;
    let error = store.commit(&commit).await.unwrap_err();
    assert_eq!((error.kind(), error.may_have_written()), (StoreErrorKind::Assertion, false));
    assert_eq!(file.tables().await.unwrap(), before);
    run_sql(&file, "DROP TRIGGER twice").await;
    assert!(store.commit(&commit).await.unwrap().landed);
}

/// Statements that were prepared before meet with a table that is gone, as they do when somebody
/// restores a copy under a running process.
#[tokio::test]
async fn what_is_broken_for_a_while_works_again_afterwards() {
    let (store, _clock, file) = fresh().await;
    let owner = OwnerId::new("me");
    let start = async |run: &str| store.start(&RunId::new(run), Job::Publish, &owner, "1.0", None).await;
    start("one").await.unwrap();
    run_sql(&file, "ALTER TABLE job_runs RENAME TO elsewhere").await;
    for run in ["two", "three"] {
        let error = start(run).await.unwrap_err();
        assert_eq!((error.kind(), error.may_have_written()), (StoreErrorKind::Refused, false), "{error}");
    }
    run_sql(&file, "ALTER TABLE elsewhere RENAME TO job_runs").await;
    start("four").await.unwrap();
}

/// A foreign key that is looked at when the transaction ends.
#[tokio::test]
async fn of_a_commit_that_fails_it_is_not_known_what_came_of_it() {
    let (store, _clock, file, commit) = prepared().await;
    let before = file.tables().await.unwrap();
    run_sql(
        &file,
        "CREATE TABLE parent (id INTEGER PRIMARY KEY) STRICT;
         CREATE TABLE child (id INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED) STRICT;
         CREATE TRIGGER late AFTER UPDATE ON job_leases BEGIN INSERT INTO child VALUES (1); END",
    )
    .await;
    let error = store.commit(&commit).await.unwrap_err();
    assert!(error.may_have_written(), "{error}");
    assert_eq!(file.tables().await.unwrap(), before);
    run_sql(&file, "DROP TRIGGER late").await;
    assert!(store.commit(&commit).await.unwrap().landed, "its transaction is no longer open");
}

/// Whoever waits for a batch may be dropped, but not in the middle of it.
#[tokio::test]
async fn a_batch_that_has_its_turn_is_over_when_it_is_next_waited_for() {
    let (store, _clock, _file, commit) = prepared().await;
    let mut committed = pin!(store.commit(&commit));
    match poll_fn(|context| Poll::Ready(committed.as_mut().poll(context))).await {
        Poll::Ready(read_back) => assert!(read_back.unwrap().landed),
        Poll::Pending => panic!("it could be given up here"),
    }
}

/// One thread for all tasks. Would the batch keep it, the lock would be there until its
/// patience ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn other_tasks_go_on_while_a_batch_waits_for_somebody_elses_lock() {
    let (_store, _clock, file) = fresh().await;
    let options = SqliteOptions { busy_timeout: Duration::from_secs(2), ..site_in(&file.path) };
    let store = open(options).await.unwrap();
    let hog = file.pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let patience = Duration::from_millis(100);
    let third = SqliteConnectOptions::new().filename(&file.path).busy_timeout(patience);
    let batch = tokio::spawn(async move {
        // Runs when this task lets go of the thread, and not before. Somebody else waits in vain
        // meanwhile, for longer than SQLite waits at a time.
        let other = tokio::spawn(async move {
            let mut third = third.connect().await.unwrap();
            sqlx::query("BEGIN IMMEDIATE").execute(&mut third).await.unwrap_err();
            hog.rollback().await.unwrap();
        });
        let started = store.start(&RunId::new("one"), Job::Publish, &OwnerId::new("me"), "1.0", None).await;
        other.await.unwrap();
        started
    });
    batch.await.unwrap().unwrap();
}

#[tokio::test]
async fn each_parameter_gets_its_own_value() {
    let (store, _clock, file) = fresh().await;
    let row = PuzzleRow {
        puzzle_id: PuzzleId::try_from(1).unwrap(),
        play_date: "2026-11-28".parse().unwrap(),
        name: "It's ?9 or $3; -- \"?1\"".to_owned(),
        price_cents: 1899,
        description: "/* ?2 */ 'quoted' ''".to_owned(),
        image_url: None,
        expected_version: None,
    };
    let edit = BankEdit {
        token: CommitToken::new("$1"),
        rows: vec![row.clone()],
        grace_ms: 600_000,
        by: Actor::new("?3", Some("it's $2")).unwrap(),
        edits: None,
    };
    assert_eq!(store.import(&edit).await.unwrap().inserted, 1);
    let stored = "SELECT p.name, p.description, p.price_cents, p.image_url, o.token, o.actor, o.reason
        FROM puzzles AS p, operator_actions AS o";
    let stored = sqlx::query(stored).fetch_one(&file.pool).await.unwrap();
    let text = |column| stored.get::<Option<String>, _>(column);
    assert_eq!(text("name"), Some(row.name));
    assert_eq!(text("description"), Some(row.description));
    assert_eq!(text("image_url"), None);
    assert_eq!(stored.get::<i64, _>("price_cents"), 1899);
    assert_eq!(text("token").as_deref(), Some("$1"));
    assert_eq!(text("actor").as_deref(), Some("?3"));
    assert_eq!(text("reason").as_deref(), Some("it's $2"));
}
