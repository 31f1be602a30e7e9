//! A batch is one execution: it binds what it was given, breaks off as a whole wherever that
//! is, and may be given up at any moment.

use std::{future::poll_fn, pin::pin, sync::Arc, task::Poll, time::Duration};

use fencepost_adapter_sqlite::SqliteStore;
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
use sqlx::{AssertSqlSafe, Row};

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
/// restores a copy under a running process. The driver's thread may not survive that.
#[tokio::test]
async fn what_is_broken_for_a_while_works_again_afterwards() {
    let (store, _clock, file) = fresh().await;
    let owner = OwnerId::new("me");
    let start = async |run: &str| {
        let run = RunId::new(run);
        let started = store.start(&run, Job::Publish, &owner, "1.0", None);
        tokio::time::timeout(Duration::from_secs(60), started).await.expect("it is answered")
    };
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

/// Polls a future so many times, and then drops it.
async fn give_up_after<T>(polls: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut left = polls;
    poll_fn(|context| {
        left -= 1;
        match future.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

#[tokio::test]
async fn a_batch_that_is_given_up_is_done_or_undone_as_a_whole() {
    for polls in 1.. {
        let (store, _clock, file, commit) = prepared().await;
        let ended = give_up_after(polls, store.commit(&commit)).await;

        let (run, owner) = (RunId::new("next"), OwnerId::new("me"));
        store.start(&run, Job::Publish, &owner, "1.0", None).await.unwrap();
        run_sql(&file, "UPDATE site_state SET paused = 1").await;
        let counts = "SELECT (SELECT count(*) FROM answer_posts) + (SELECT count(*) FROM commit_receipts)
            + (SELECT count(*) FROM operator_actions) + (SELECT publication_revision FROM site_state)
            + (SELECT count(*) FROM publication_items WHERE state = 'published')
            + (SELECT count(*) FROM job_leases WHERE expires_at = 0) AS kept";
        let kept: i64 = sqlx::query(counts).fetch_one(&file.pool).await.unwrap().get("kept");
        assert!([0, 6].contains(&kept), "{kept} of 6 were kept after {polls} polls");
        if let Some(read_back) = ended {
            assert!(read_back.unwrap().landed && kept == 6);
            break;
        }
    }
}

/// The transaction begins when nobody waits for it any more.
#[tokio::test]
async fn a_batch_that_is_given_up_before_its_turn_leaves_no_transaction_open() {
    let (store, _clock, file, commit) = prepared().await;
    // The writer is connected, so that the commit waits for nothing but the lock.
    store.start(&RunId::new("first"), Job::Publish, &OwnerId::new("me"), "1.0", None).await.unwrap();
    let before = file.tables().await.unwrap();
    let hog = file.pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
    assert!(give_up_after(1, store.commit(&commit)).await.is_none());
    hog.rollback().await.unwrap();
    run_sql(&file, "UPDATE site_state SET paused = 0").await;
    assert_eq!(file.tables().await.unwrap(), before, "another connection can write, and nothing was kept");
    assert!(store.commit(&commit).await.unwrap().landed);
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

/// What the names of parameters rest on: `?18` has seventeen before it, `$18` has none.
#[tokio::test]
async fn a_named_parameter_takes_one_place_and_the_value_of_its_number() {
    use sqlx::{Executor, SqlSafeStr, Statement};
    let (_store, _clock, file) = fresh().await;
    let count = async |sql: &'static str| {
        let prepared = file.pool.prepare(sql.into_sql_str()).await.unwrap();
        prepared.parameters().and_then(|parameters| parameters.right()).unwrap()
    };
    assert_eq!(count("SELECT ?18").await, 18);
    assert_eq!(count("SELECT $18, $3, $18").await, 2);

    let sql = "SELECT $2 AS a, '?9' AS b, $1 AS c; SELECT $5 AS a, $4 AS b, $3 AS c";
    let mut connection = file.pool.acquire().await.unwrap();
    let query = [Some("one"), Some("it's two"), None, Some("four"), Some("five")]
        .into_iter()
        .fold(sqlx::query(sql), |query, value| query.bind(value));
    let rows = query.fetch_all(&mut *connection).await.unwrap();
    let values = rows.iter().flat_map(|row| (0..3).map(|at| row.get::<Option<String>, _>(at)));
    let values: Vec<_> = values.collect();
    let told: Vec<_> = values.iter().map(Option::as_deref).collect();
    let expected = [Some("it's two"), Some("?9"), Some("one"), Some("five"), Some("four"), None];
    assert_eq!(told, expected);
}
