//! Time and revision on a connection without a thread: the same as in the ordinary way.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use fencepost_adapter_sqlite::{SqliteOptions, SqliteRevisions, SqliteStore, StoreClock, open, site_in};
use fencepost_ports::{RevisionSource, StoreCounts, StoreErrorKind};
use sqlx::{Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use tempfile::TempDir;

/// A store, time and revision beside it, and a connection past all of the code.
async fn opened(
    folder: &TempDir,
    clock: StoreClock,
    counts: &StoreCounts,
) -> (Arc<SqliteStore>, SqliteRevisions, SqliteConnection) {
    let path = folder.path().join("fencepost.db");
    let options = SqliteOptions { clock, counts: counts.clone(), ..site_in(&path) };
    let store = Arc::new(open(options.clone()).await.unwrap());
    let revisions = SqliteRevisions::open(&options, Arc::clone(&store)).unwrap();
    let past = SqliteConnectOptions::new().filename(&path);
    (store, revisions, SqliteConnection::connect_with(&past).await.unwrap())
}

async fn execute(connection: &mut SqliteConnection, sql: &'static str) {
    sqlx::raw_sql(sql).execute(connection).await.unwrap();
}

fn calls(counts: &StoreCounts) -> Vec<(&'static str, u64, u64)> {
    counts.totals().into_iter().map(|(call, total)| (call, total.calls, total.failures)).collect()
}

#[tokio::test]
async fn each_read_tells_what_the_store_would_and_sees_the_commits_of_others() {
    let (folder, counts) = (tempfile::tempdir().unwrap(), StoreCounts::default());
    let instant = Arc::new(AtomicI64::new(1_795_867_200_000));
    let (store, revisions, mut other) =
        opened(&folder, StoreClock::Manual(Arc::clone(&instant)), &counts).await;
    for sql in [
        "UPDATE site_state SET publication_revision = 7",
        "UPDATE site_state SET bank_revision = 3",
        "INSERT INTO visibility_instants (instant) VALUES (1795867200000), (1795867900000)",
        "DELETE FROM visibility_instants WHERE instant > 1795867200000",
    ] {
        let before = revisions.moment().await.unwrap();
        execute(&mut other, sql).await;
        let after = revisions.moment().await.unwrap();
        assert_ne!(after, before, "{sql}");
        assert_eq!(after, store.moment().await.unwrap(), "{sql}");
    }
    instant.store(1_795_867_200_001, Ordering::SeqCst);
    assert_eq!(revisions.moment().await.unwrap().now.get(), 1_795_867_200_001);
    assert_eq!(calls(&counts), [("revision_source/moment", 13, 0)], "each read is counted, in either way");
}

#[tokio::test]
async fn it_goes_by_the_clock_that_the_store_goes_by() {
    for (clock, shift_ms) in [(StoreClock::Database, 0), (StoreClock::ShiftedBy(86_400_000), 86_400_000)] {
        let folder = tempfile::tempdir().unwrap();
        let (_store, revisions, mut other) = opened(&folder, clock, &StoreCounts::default()).await;
        let database = "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)";
        let mut real = async || sqlx::query_scalar::<_, i64>(database).fetch_one(&mut other).await.unwrap();
        let before = real().await;
        let now = revisions.moment().await.unwrap().now.get() - shift_ms;
        // The clock's own rounding, up or down.
        assert!((before - 1..=real().await + 1).contains(&now), "{now} is not after {before}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_at_once_is_asked_in_the_ordinary_way_which_tells_why() {
    let (folder, counts) = (tempfile::tempdir().unwrap(), StoreCounts::default());
    let (store, revisions, mut other) = opened(&folder, StoreClock::Database, &counts).await;
    execute(&mut other, "UPDATE site_state SET bank_revision = 1").await;
    execute(&mut other, "CREATE TABLE kept AS SELECT * FROM site_state").await;
    execute(&mut other, "DELETE FROM site_state").await;
    let corrupt = revisions.moment().await.unwrap_err();
    assert_eq!(corrupt.kind(), StoreErrorKind::Corrupt);
    assert_eq!(corrupt, store.moment().await.unwrap_err());
    execute(&mut other, "INSERT INTO site_state SELECT * FROM kept").await;
    assert_eq!(revisions.moment().await.unwrap().bank_revision, 1, "nothing is left of it");
    execute(&mut other, "ALTER TABLE site_state RENAME TO elsewhere").await;
    let gone = revisions.moment().await.unwrap_err();
    assert_eq!(gone, store.moment().await.unwrap_err());
    execute(&mut other, "ALTER TABLE elsewhere RENAME TO site_state").await;
    assert_eq!(revisions.moment().await.unwrap().bank_revision, 1);
    assert_eq!(calls(&counts), [("revision_source/moment", 6, 2)], "each is counted once");
}
