//! Statements that must write so many rows, and texts that SQLite does not take.

use fencepost_batch::{
    Chain, Change, Committed, Guard, Linked, Marked, Marking, Query, ReadBack, Refusal, Sql, Store, Tracing,
    decode, lease_store, sql_texts,
};
use fencepost_core::{
    AtOnce, RandomTokens, StoreError, StoreErrorKind, TokenSource, landing::Ended, retry::Patience,
};
use fencepost_sqlite::{Migration, SqliteOptions, SqliteRunner, prepare};

const SCHEMA: &str = "\
CREATE TABLE transfers (
  transfer_id INTEGER NOT NULL PRIMARY KEY, cents INTEGER NOT NULL,
  version INTEGER NOT NULL, commit_token TEXT NOT NULL UNIQUE, updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE transfer_receipts (
  commit_token TEXT NOT NULL PRIMARY KEY, transfer_id INTEGER NOT NULL, version INTEGER NOT NULL,
  UNIQUE (transfer_id, version)
) STRICT;
CREATE TABLE accounts (name TEXT NOT NULL PRIMARY KEY, room TEXT NOT NULL, cents INTEGER NOT NULL) STRICT;
INSERT INTO accounts (name, room, cents) VALUES ('till', 'here', 0), ('safe', 'there', 0), ('purse', 'there', 0);
";

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration { name: "0001_leases.sql", sql: lease_store::SCHEMA },
    Migration { name: "0002_transfers.sql", sql: SCHEMA },
];

pub(crate) enum Transfer {}

impl Marked for Transfer {
    type Key = i64;
    type LeaseKey = String;
    const TABLE: &'static str = "transfers";
    const KEY: &'static str = "transfer_id";
    const RECEIPTS: &'static str = "transfer_receipts";

    fn lease_key(transfer: &i64) -> String {
        format!("transfer:{transfer}")
    }
}

/// `?8` is what of. A word of SQL may be the name of a condition.
pub(crate) fn guard() -> Guard<Transfer> {
    Guard::under_lease().and("order", "CAST(?8 AS INTEGER) > 0")
}

sql_texts! {
    pub(crate) BEGIN: Marking<Transfer> = "transfers/begin", Sql::insert_marked("cents", "CAST(?8 AS INTEGER)", &guard());
    /// `?8` is how much, `?9` the room.
    CREDIT: Linked<Transfer> = "transfers/credit",
        Sql::update("accounts", "cents = cents + CAST(?8 AS INTEGER)", "room = ?9").exactly(1);
    /// `?10` is how many accounts there should be.
    CREDIT_EACH: Linked<Transfer> = "transfers/credit_each",
        Sql::update("accounts", "cents = cents + CAST(?8 AS INTEGER)", "room = ?9").exactly_as("?10");
    pub(crate) WRITE_RECEIPT: Linked<Transfer> = "transfers/write_receipt", Sql::write_receipt();
    RELEASE: Linked<Transfer> = "transfers/release", Sql::release_lease();
    pub(crate) READ_BACK: ReadBack<Transfer> = "transfers/read_back",
        Sql::of_guard(&guard(), &[], "(SELECT count(*) FROM accounts AS a) AS accounts");
    TRACE: Tracing<Transfer> = "transfers/trace", Sql::receipts("");
    CREDITED = "transfers/credited", "SELECT sum(a.cents) AS cents FROM accounts AS a";
}

/// How the transfer of so much to the one account of a room ends, and what the accounts have then.
async fn transfer(cents: i64, room: &str) -> (Result<Committed<i64>, StoreError>, i64) {
    let credit = |chain: Chain<Transfer>| chain.then(&CREDIT, [cents.into(), room.into()]);
    transferred(cents, credit).await
}

/// The same, by what `credit` adds to the batch.
async fn transferred(
    cents: i64,
    credit: impl Fn(Chain<Transfer>) -> Chain<Transfer> + Send + Sync,
) -> (Result<Committed<i64>, StoreError>, i64) {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::new(folder.path().join("till.db"), MIGRATIONS);
    let store = Store::new(SqliteRunner::open(options).await.unwrap());
    let patience = Patience { timer: &AtOnce, tokens: &RandomTokens };
    let (owner, other) = (RandomTokens.owner("worker-1"), RandomTokens.owner("worker-2"));
    let key = Transfer::lease_key(&7);
    let lease = store.hold(&key, &owner, 60_000).await.unwrap().unwrap();
    let change = Change::<Transfer>::new(&lease, 7, 0);
    let batch = |attempt| {
        credit(Chain::begin(attempt, &change, &BEGIN, [cents.into()]))
            .then(&WRITE_RECEIPT, [])
            .then(&RELEASE, [])
            .read_back(&READ_BACK, |row| decode::integer(row, "accounts"))
    };
    let ended = store.commit(patience, &change, &TRACE, batch).await;
    assert!(store.hold(&key, &other, 60_000).await.unwrap().is_some(), "the lease was not given back");
    let credited = Query::new(&CREDITED, vec![], |row| decode::integer(row, "cents"));
    (ended, store.read_one(credited).await.unwrap())
}

#[tokio::test]
async fn a_statement_that_writes_its_rows_lands() {
    let (ended, credited) = transfer(100, "here").await;
    assert_eq!((ended.unwrap(), credited), (Ended::Landed(1), 100));
}

#[tokio::test]
async fn one_that_writes_less_or_more_rolls_everything_back() {
    for (room, wrote) in [("nowhere", 0), ("there", 2)] {
        let (ended, credited) = transfer(100, room).await;
        let error = ended.unwrap_err();
        assert_eq!((error.kind(), credited), (StoreErrorKind::Assertion, 0), "{room}");
        let told = format!("transfers/credit wrote {wrote} rows instead of 1");
        assert!(error.to_string().contains(&told), "{room}: {error}");
    }
}

#[tokio::test]
async fn how_many_rows_may_be_told_by_an_expression() {
    for (room, rows, told) in [
        ("here", Some(1), None),
        ("there", Some(2), None),
        ("nowhere", Some(0), None),
        ("there", Some(1), Some("wrote 2 rows instead of 1")),
        ("there", None, Some("wrote 2 rows instead of NULL")),
    ] {
        let credit =
            |chain: Chain<Transfer>| chain.then(&CREDIT_EACH, [100.into(), room.into(), rows.into()]);
        let (ended, credited) = transferred(100, credit).await;
        match told {
            None => assert_eq!((ended.unwrap(), Some(credited / 100)), (Ended::Landed(1), rows), "{room}"),
            Some(told) => {
                let error = ended.unwrap_err().to_string();
                assert!(error.contains(told) && credited == 0, "{room}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn one_that_hangs_on_an_attempt_that_is_refused_is_not_asked() {
    // What the read-back tells besides is told.
    for room in ["here", "nowhere"] {
        let refusal = Refusal { stale: vec![], unmet: vec!["order"], told: 3 };
        let (ended, credited) = transfer(0, room).await;
        assert_eq!((ended.unwrap(), credited), (Ended::Refused(refusal), 0), "{room}");
    }
}

#[test]
fn every_text_is_one_that_sqlite_takes() {
    assert_eq!(prepare(MIGRATIONS, texts()), Ok(()));
    let problems = prepare(&MIGRATIONS[1..], texts()).unwrap_err().to_string();
    let names: Vec<_> = problems.lines().filter_map(|line| line.split(": ").next()).collect();
    assert_eq!(names, ["transfers/begin", "transfers/release", "transfers/read_back"]);
    let broken = Migration { name: "0003_broken.sql", sql: "CREATE TABLE (" };
    let problem = prepare(&[broken], []).unwrap_err().to_string();
    assert!(problem.starts_with("0003_broken.sql: "), "{problem}");
}
