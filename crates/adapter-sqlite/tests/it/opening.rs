//! Opening a file: alone, together, and when it cannot be.

use std::{path::Path, sync::Arc, time::Duration};

use fencepost_adapter_sqlite::{SqliteOptions, StoreClock, open, site_in};
use fencepost_domain::{
    action::{ActionKind, Actor, Entry},
    id::CommitToken,
};
use fencepost_domain::{id::OwnerId, lease::LeaseKey, time::UnixMillis};
use fencepost_ports::{LeaseStore, PublicationLedger, RevisionSource, Schema, StoreErrorKind, Verifier};
use sqlx::{Row, SqlitePool, sqlite::SqliteConnectOptions};
use tokio::task::JoinSet;

use crate::upgrading::MIGRATIONS;

async fn connect(path: &Path) -> SqlitePool {
    SqlitePool::connect_with(SqliteConnectOptions::new().filename(path)).await.unwrap()
}

async fn refusal(path: &Path) -> String {
    open(site_in(path)).await.unwrap_err().to_string()
}

fn key() -> LeaseKey {
    "publication:1".parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_stores_open_one_fresh_file_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fencepost.db");
    let mut opening = JoinSet::new();
    for n in 0..20 {
        let options = site_in(&path);
        opening.spawn(async move {
            let store = open(options).await.unwrap();
            store.claim(key(), &OwnerId::new(format!("owner-{n}")), 60_000).await.unwrap()
        });
    }
    let rows = opening.join_all().await;
    assert!(rows.iter().all(|row| *row == rows[0]), "one owner, one fence: {rows:?}");
    assert_eq!(rows[0].fence.get(), 1);
}

#[tokio::test]
async fn two_hundred_reads_at_once_wait_for_their_turn() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(open(site_in(folder.path().join("fencepost.db"))).await.unwrap());
    let mut reads = JoinSet::new();
    for _ in 0..200 {
        let store = store.clone();
        reads.spawn(async move { store.moment().await });
    }
    assert!(reads.join_all().await.iter().all(Result::is_ok));
}

#[tokio::test]
async fn opening_again_keeps_everything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fencepost.db");
    let store = open(site_in(&path)).await.unwrap();
    let deed = Actor::new("Ada", None).unwrap().does(ActionKind::Pause);
    store.set_paused(true, &Entry { token: CommitToken::new("a1"), deed }).await.unwrap();
    store.runner().close().await;
    let store = open(site_in(&path)).await.unwrap();
    assert!(store.runnable(None, 1).await.unwrap().paused);
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fencepost.db");
    open(site_in(&path)).await.unwrap().runner().close().await;
    let pool = connect(&path).await;
    sqlx::raw_sql("INSERT INTO d1_migrations (name) VALUES ('9999_from_tomorrow.sql')")
        .execute(&pool)
        .await
        .unwrap();

    let message = refusal(&path).await;
    assert!(message.contains("newer version") && message.contains("9999_from_tomorrow.sql"), "{message}");
}

#[tokio::test]
async fn a_store_tells_how_its_tables_compare_with_those_of_this_version() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fencepost.db");
    let store = open(site_in(&path)).await.unwrap();
    assert_eq!(store.schema().await, Ok(Schema::default()));
    let pool = connect(&path).await;
    sqlx::raw_sql(
        "UPDATE d1_migrations SET name = '9999_from_tomorrow.sql' WHERE name = '0004_result_tallies.sql'",
    )
    .execute(&pool)
    .await
    .unwrap();
    let expected = Schema {
        missing: vec!["0004_result_tallies.sql".to_owned()],
        unknown: vec!["9999_from_tomorrow.sql".to_owned()],
    };
    assert_eq!(store.schema().await, Ok(expected));
    sqlx::raw_sql("DROP TABLE d1_migrations").execute(&pool).await.unwrap();
    let lost = store.schema().await.unwrap();
    assert_eq!(
        (lost.missing.len(), lost.unknown),
        (MIGRATIONS.len(), vec![]),
        "without a list nothing is known to be applied"
    );
}

#[tokio::test]
async fn the_journal_of_migrations_is_that_of_wrangler() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fencepost.db");
    open(site_in(&path)).await.unwrap().runner().close().await;
    let pool = connect(&path).await;
    let rows = sqlx::query("SELECT id, name, applied_at FROM d1_migrations").fetch_all(&pool).await.unwrap();
    let names: Vec<String> = rows.iter().map(|row| row.get("name")).collect();
    assert_eq!(names, MIGRATIONS);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    let text = "These are the notes of somebody who mistook the option. ".repeat(99);
    std::fs::write(&path, &text).unwrap();
    let message = refusal(&path).await;
    assert!(message.contains("not a database") && message.contains("name another file"), "{message}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[tokio::test]
async fn a_folder_that_does_not_exist_is_named() {
    let message = refusal(Path::new("no/such/folder/fencepost.db")).await;
    assert!(message.contains("no/such/folder") && message.contains("create it"), "{message}");
}

#[tokio::test]
async fn a_folder_in_place_of_the_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let message = refusal(folder.path()).await;
    assert!(message.contains("cannot open the database"), "{message}");
}

#[tokio::test]
async fn a_write_that_waits_too_long_says_who_is_in_its_way_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fencepost.db");
    let options = SqliteOptions { busy_timeout: Duration::from_millis(50), ..site_in(&path) };
    let store = open(options).await.unwrap();
    let pool = connect(&path).await;
    let hog = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();

    let error = store.claim(key(), &OwnerId::new("me"), 60_000).await.unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Busy);
    assert!(error.to_string().contains("another process keeps writing"), "{error}");
    assert!(store.moment().await.is_ok(), "reading goes on");

    hog.rollback().await.unwrap();
    assert_eq!(store.claim(key(), &OwnerId::new("me"), 60_000).await.unwrap().fence.get(), 1);
}

#[tokio::test]
async fn a_database_that_needs_no_migration_opens_while_another_process_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fencepost.db");
    let options = SqliteOptions { busy_timeout: Duration::from_millis(50), ..site_in(&path) };
    open(options.clone()).await.unwrap().runner().close().await;
    let pool = connect(&path).await;
    let _hog = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();

    let store = open(options).await.unwrap();
    assert!(store.moment().await.is_ok());
}

#[tokio::test]
async fn a_shifted_clock_is_the_databases_clock_and_so_much() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fencepost.db");
    let day = 86_400_000;
    let now = async |clock| {
        let options = SqliteOptions { clock, ..site_in(&path) };
        open(options).await.unwrap().moment().await.unwrap().now
    };
    let here = now(StoreClock::Database).await;
    let tomorrow = now(StoreClock::ShiftedBy(day)).await;
    let yesterday = now(StoreClock::ShiftedBy(-day)).await;
    assert!((day..day + 60_000).contains(&tomorrow.since(here)), "{here} {tomorrow}");
    assert!((-day..-day + 60_000).contains(&yesterday.since(here)), "{here} {yesterday}");
    assert!(here > UnixMillis::new(1_700_000_000_000));
}
