//! An attempt that nobody waits for any more, and that arrives when another one has landed.
//!
//! The row is there already, and every change of it is as good as the one before: nothing but the
//! guard that every batch has keeps the second one out.

use fencepost_batch::{
    Chain, Change, Guard, Linked, Marked, Marking, Query, ReadBack, Sql, Store, Tracing, decode,
    faults::{Fate, Faulty},
    lease_store, sql_texts,
};
use fencepost_core::{AtOnce, RandomTokens, TokenSource, landing::Ended, retry::Patience};
use fencepost_sqlite::{Migration, SqliteOptions, SqliteRunner};

const MIGRATIONS: &[Migration] = &[
    Migration { name: "0001_leases.sql", sql: lease_store::SCHEMA },
    Migration {
        name: "0002_meters.sql",
        sql: "\
CREATE TABLE meters (
  meter_id INTEGER NOT NULL PRIMARY KEY, ticks INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 0, commit_token TEXT UNIQUE, updated_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE meter_receipts (
  commit_token TEXT NOT NULL PRIMARY KEY, meter_id INTEGER NOT NULL, version INTEGER NOT NULL,
  UNIQUE (meter_id, version)
) STRICT;
INSERT INTO meters (meter_id, ticks) VALUES (7, 0);
",
    },
];

enum Meter {}

impl Marked for Meter {
    type Key = i64;
    type LeaseKey = String;
    const TABLE: &'static str = "meters";
    const KEY: &'static str = "meter_id";
    const RECEIPTS: &'static str = "meter_receipts";

    fn lease_key(meter: &i64) -> String {
        format!("meter:{meter}")
    }
}

sql_texts! {
    TICK: Marking<Meter> = "meters/tick", Sql::update_marked("ticks = ticks + 1", &Guard::under_lease());
    WRITE_RECEIPT: Linked<Meter> = "meters/write_receipt", Sql::write_receipt();
    RELEASE: Linked<Meter> = "meters/release", Sql::release_lease();
    READ_BACK: ReadBack<Meter> = "meters/read_back", Sql::of_guard(&Guard::under_lease(), &[], "");
    TRACE: Tracing<Meter> = "meters/trace", Sql::receipts("");
    TICKS = "meters/ticks", "SELECT m.ticks FROM meters AS m";
}

/// How many ticks there are when the first attempt has arrived after the second. The lease may be
/// kept, so that the version alone is in the way, or released.
async fn ticks(is_released: bool) -> i64 {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::new(folder.path().join("meters.db"), MIGRATIONS);
    let runner = Faulty::new(SqliteRunner::open(options).await.unwrap(), |call| async move {
        if call.number == 2 { Fate::ArrivesLate } else { Fate::Answered }
    });
    let store = Store::new(runner);
    let owner = RandomTokens.owner("worker-1");
    let lease = store.hold(&Meter::lease_key(&7), &owner, 60_000).await.unwrap().unwrap();
    let change = Change::<Meter>::new(&lease, 7, 0);
    let batch = |attempt| {
        let chain = Chain::begin(attempt, &change, &TICK, []).then(&WRITE_RECEIPT, []);
        let chain = if is_released { chain.then(&RELEASE, []) } else { chain };
        chain.read_back(&READ_BACK, |_| Ok(()))
    };
    let patience = Patience { timer: &AtOnce, tokens: &RandomTokens };
    assert_eq!(store.commit(patience, &change, &TRACE, batch).await.unwrap(), Ended::Landed(1));
    let arrived = store.runner().arrive().await;
    assert!(matches!(arrived[..], [Ok(())]), "it was judged, and refused: {arrived:?}");
    store.read_one(Query::new(&TICKS, vec![], |row| decode::integer(row, "ticks"))).await.unwrap()
}

#[tokio::test]
async fn an_attempt_that_arrives_after_the_one_that_landed_writes_nothing() {
    assert_eq!(ticks(true).await, 1);
    assert_eq!(ticks(false).await, 1);
}
