//! Parts that would get around what is added to a text: each is refused when the text is built, or
//! comes to nothing on a database.

use std::panic::{UnwindSafe, catch_unwind};

use fencepost_batch::{
    Chain, Change, Guarded, Insert, Linked, Marked, Marking, ReadBack, Refusal, Sql, Store, Text, Told,
};
use fencepost_core::{
    RandomTokens, StoreError, StoreErrorKind, TokenSource,
    attempt::Attempt,
    id::{CommitToken, Fence},
    landing::Verdict,
    lease::Lease,
    time::UnixMillis,
};
use fencepost_sqlite::{SqliteOptions, SqliteRunner};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::exactly::{BEGIN, MIGRATIONS, READ_BACK, Transfer, WRITE_RECEIPT, guard};

/// A database with a till, and a lease on the transfer 7.
struct Vault {
    folder: TempDir,
    store: Store<SqliteRunner>,
    lease: Lease<String>,
}

type Ended = Result<Verdict<i64, Refusal>, StoreErrorKind>;

impl Vault {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path().join("till.db"), MIGRATIONS);
        let store = Store::new(SqliteRunner::open(options).await.unwrap());
        let owner = RandomTokens.owner("worker-1");
        let lease = store.hold(&Transfer::lease_key(&7), &owner, 60_000).await.unwrap().unwrap();
        Self { folder, store, lease }
    }

    /// All that there is, besides the instants.
    fn rows(&self) -> Vec<String> {
        let connection = Connection::open(self.folder.path().join("till.db")).unwrap();
        let all = "SELECT json_array(name, room, cents) FROM accounts
            UNION ALL SELECT json_array(transfer_id, cents, version) FROM transfers
            UNION ALL SELECT json_array(transfer_id, version) FROM transfer_receipts
            UNION ALL SELECT json_array(key, owner_id, fence) FROM job_leases ORDER BY 1";
        let mut statement = connection.prepare(all).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    /// Begins with this transfer, and goes on with this text.
    fn batch(&self, cents: i64, text: &'static Text<Linked<Transfer>>) -> Chain<Transfer> {
        let change = Change::new(&self.lease, 7, 0);
        Chain::begin(Attempt::draw(&RandomTokens), &change, &BEGIN, [cents.into()]).then(text, [])
    }

    async fn run(&self, batch: Guarded<Transfer, ()>) -> Ended {
        let told: Result<_, StoreError> = self.store.batch_one(batch.into_batch()).await;
        told.map(Told::verdict).map_err(|error| error.kind())
    }
}

/// A text for one test.
fn text<K>(make: impl FnOnce() -> Sql<K> + UnwindSafe) -> Option<&'static Text<K>> {
    let text = catch_unwind(|| Text::new("transfers/around", make())).ok()?;
    Some(Box::leak(Box::new(text)))
}

/// An account, if the transfer lands.
const INTO: Insert<'static> = Insert {
    table: "accounts",
    columns: "name, room, cents",
    values: "'made up', 'nowhere', 1",
    joins: "",
    on_conflict: "",
};

type Make = Box<dyn FnOnce() -> Sql<Linked<Transfer>> + UnwindSafe>;

#[tokio::test]
async fn a_linked_statement_writes_nothing_if_the_guard_says_no() {
    let values = |values: &'static str| -> Make { Box::new(move || Sql::insert(Insert { values, ..INTO })) };
    let joins = |joins: &'static str| -> Make { Box::new(move || Sql::insert(Insert { joins, ..INTO })) };
    let itself = "(SELECT ?2 AS transfer_id, ?7 AS commit_token) AS marked";
    let same = "USING (transfer_id, commit_token)";
    let joined = |how: &str, with: &str| joins(format!("{how} JOIN {itself} {with}").leak());
    let hostile: Vec<(&str, Make)> = vec![
        ("an aggregate", values("'x', 'y', count(*)")),
        ("one of the rows outside", values("'x', 'y', (SELECT count(marked.cents) FROM accounts)")),
        ("one of them without a table", values("'x', 'y', coalesce((SELECT max(marked.version)), 1)")),
        ("two levels deep", values("'x', 'y', (SELECT (SELECT total(marked.cents)) FROM accounts AS a)")),
        ("one in an EXISTS", values("'x', 'y', EXISTS (SELECT sum(marked.cents) FROM accounts)")),
        ("with a condition of its own", values("'x', 'y', (SELECT count(marked.cents) FILTER (WHERE true))")),
        (
            "by a name that comes before it",
            values("'x', 'y', (WITH a AS (SELECT 1) SELECT count(marked.cents) FROM a)"),
        ),
        ("a row of the same name", joined("RIGHT", same)),
        ("a row of the same name, either way", joined("FULL OUTER", same)),
        ("a row of the same name, naturally", joined("NATURAL RIGHT", "")),
        ("all of another table", joins("RIGHT JOIN accounts AS a ON true")),
        ("all of another table, either way", joins("FULL JOIN accounts AS a ON false")),
        ("a list of values", joins("RIGHT JOIN (VALUES (1), (2)) AS v ON true")),
        ("an end", Box::new(|| Sql::update("accounts", "cents = 9 + (?7 IS NULL) \0", "true"))),
        ("an end of a condition", Box::new(|| Sql::delete("accounts", "(?7 IS NOT NULL) \0"))),
        ("an end of the joins", values("'x', 'y', ?7 IS NULL \0")),
        ("an order", joins("ORDER BY marked.version")),
        ("a group", joins("GROUP BY marked.version")),
        ("a window", values("'x', 'y', count(*) OVER ()")),
        ("a number of rows", values("'x', 'y', row_number() OVER (ORDER BY marked.version)")),
    ];
    let mut holes = Vec::new();
    for (what, make) in hostile {
        let Some(text) = text(make) else { continue };
        let vault = Vault::new().await;
        let before = vault.rows();
        let batch = vault.batch(0, text).then(&WRITE_RECEIPT, []).read_back(&READ_BACK, |_| Ok(()));
        drop(vault.run(batch).await);
        if vault.rows() != before {
            holes.push(what);
        }
    }
    assert_eq!(holes, [""; 0]);
}

/// `GROUP BY` and `LIMIT` may not cost a row that is due.
#[tokio::test]
async fn what_is_computed_over_rows_is_written_if_the_batch_lands() {
    let values = "'all', 'there', (SELECT sum(a.cents) + count(*) FROM accounts AS a)";
    let sum = text(move || Sql::insert(Insert { values, ..INTO }).exactly(1)).unwrap();
    let joins = "JOIN accounts AS b ON b.name IN ('till', 'safe')";
    let values = "'new ' || b.name, 'there', (SELECT count(*) FROM accounts AS a)";
    let each = text(move || Sql::insert(Insert { values, joins, ..INTO }).exactly(2)).unwrap();
    let vault = Vault::new().await;
    let batch = vault.batch(1, sum).then(each, []).then(&WRITE_RECEIPT, []).read_back(&READ_BACK, |_| Ok(()));
    assert_eq!(vault.run(batch).await, Ok(Verdict::Landed(1)));
    let made = ["[\"all\",\"there\",3]", "[\"new safe\",\"there\",4]", "[\"new till\",\"there\",4]"];
    assert!(made.iter().all(|made| vault.rows().contains(&(*made).to_owned())), "{:?}", vault.rows());
}

#[tokio::test]
async fn the_guard_decides_whatever_the_row_consists_of() {
    for values in [
        "max(clock.now)",
        "(SELECT count(clock.now))",
        "coalesce((SELECT max(clock.now) FROM accounts), 1)",
        "(SELECT count(*) FROM accounts)",
    ] {
        let Some(text) = text(|| Sql::<Marking<Transfer>>::insert_marked("cents", values, &guard())) else {
            continue;
        };
        let refusal = Refusal { stale: vec![], unmet: vec!["order"], told: () };
        for (cents, verdict) in [(0, Verdict::Refused(refusal)), (1, Verdict::Landed(1))] {
            let vault = Vault::new().await;
            let change = Change::new(&vault.lease, 7, 0);
            let own = std::iter::repeat_n(cents.into(), text.as_ref().arity() - 7);
            let batch = Chain::begin(Attempt::draw(&RandomTokens), &change, text, own)
                .then(&WRITE_RECEIPT, [])
                .read_back(&READ_BACK, |_| Ok(()));
            assert_eq!(vault.run(batch).await, Ok(verdict), "{values}");
        }
    }
}

/// What a linked statement does to the row, the receipts or the leases would be found out by
/// nobody, or not by this batch.
#[test]
fn what_a_batch_is_told_apart_by_is_written_by_the_kit_alone() {
    let into = |table, columns, values, on_conflict| -> Make {
        Box::new(move || Sql::insert(Insert { table, columns, values, on_conflict, joins: "" }))
    };
    let receipt = ("commit_token, transfer_id, version", "?7, ?2, 1");
    let transfer = ("transfer_id, cents, version, commit_token, updated_at", "?2, 1, 1, ?7, 0");
    let lease = ("key, owner_id, fence, expires_at, updated_at", "?3, ?4, 1, 0, 0");
    let refused: Vec<(&str, Make)> = vec![
        ("the row goes", Box::new(|| Sql::delete("transfers", "transfer_id = ?2"))),
        ("others go", Box::new(|| Sql::delete("Transfers", "transfer_id <> ?2"))),
        ("receipts go", Box::new(|| Sql::delete("transfer_receipts", "transfer_id <> ?2"))),
        (
            "receipts change",
            Box::new(|| Sql::update("transfer_receipts", "version = 0", "transfer_id <> ?2")),
        ),
        ("a receipt that may be there", into("transfer_receipts", receipt.0, receipt.1, "DO NOTHING")),
        (
            "the row changes",
            into(
                "transfers",
                transfer.0,
                transfer.1,
                "(transfer_id) DO UPDATE SET version = 0, commit_token = 'x'",
            ),
        ),
        (
            "it changes at second sight",
            into(
                "transfers",
                transfer.0,
                transfer.1,
                "(commit_token) DO NOTHING ON CONFLICT DO UPDATE SET (cents, Version) = (1, 0)",
            ),
        ),
        ("the lease changes hands", Box::new(|| Sql::update("job_leases", "fence = fence + 1", "true"))),
        ("the leases go", Box::new(|| Sql::delete("Job_Leases", "true"))),
        ("another lease", into("job_leases", lease.0, lease.1, "(key) DO UPDATE SET fence = 1")),
    ];
    for (what, make) in refused {
        assert!(text(make).is_none(), "{what}");
    }
    let taken: Vec<(&str, Make)> = vec![
        ("a receipt of one's own", into("transfer_receipts", receipt.0, receipt.1, "")),
        (
            "another column of the row",
            into("transfers", transfer.0, transfer.1, "(transfer_id) DO UPDATE SET cents = version"),
        ),
        (
            "the version of something else",
            into("accounts", "name, version", "'a', 1", "(name) DO UPDATE SET version = 2"),
        ),
    ];
    for (what, make) in taken {
        assert!(text(make).is_some(), "{what}");
    }
}

/// It would lead to another row, or to a new one each time.
#[test]
fn a_row_has_a_key() {
    enum Keyless {}

    impl Marked for Keyless {
        type Key = Option<i64>;
        type LeaseKey = String;
        const TABLE: &'static str = "transfers";
        const KEY: &'static str = "transfer_id";
        const RECEIPTS: &'static str = "transfer_receipts";

        fn lease_key(_: &Option<i64>) -> String {
            "transfer:7".to_owned()
        }
    }

    let lease = Lease {
        key: "transfer:7".to_owned(),
        owner: RandomTokens.owner("worker-1"),
        fence: Fence::FIRST,
        expires_at: UnixMillis::new(60_000),
    };
    let is_made = |key| catch_unwind(|| format!("{:?}", Change::<Keyless>::new(&lease, key, 0))).is_ok();
    assert_eq!([is_made(Some(7)), is_made(None)], [true, false]);
}

/// Whatever sends a batch must not send it again. If it does, the receipt is there already.
#[tokio::test]
async fn a_batch_that_is_sent_twice_lands_once() {
    let vault = Vault::new().await;
    let credit = text(|| Sql::update("accounts", "cents = cents + 1", "name = 'till'")).unwrap();
    let batch = || {
        let attempt = Attempt::vouched_for(CommitToken::new("the same"));
        Chain::begin(attempt, &Change::new(&vault.lease, 7, 0), &BEGIN, [1.into()])
            .then(credit, [])
            .then(&WRITE_RECEIPT, [])
            .read_back(&READ_BACK, |_| Ok(()))
    };
    assert_eq!(vault.run(batch()).await, Ok(Verdict::Landed(1)));
    let landed = vault.rows();
    assert_eq!(vault.run(batch()).await, Err(StoreErrorKind::Refused));
    assert_eq!(vault.rows(), landed);
}

/// D1 makes one property of two columns with a name, and SQLite keeps both.
#[test]
fn what_a_read_back_tells_besides_has_names_of_its_own() {
    let of =
        |columns: &'static str| text(move || Sql::<ReadBack<Transfer>>::of_guard(&guard(), &[], columns));
    for columns in
        ["1 AS landed", "'a' AS x, 2 AS Row_Version", "3 AS version", "(SELECT 4) AS order", "5 AS 'landed'"]
    {
        assert!(of(columns).is_none(), "{columns}");
    }
    assert!(of("(SELECT t.version FROM transfers AS t WHERE t.transfer_id = ?2) AS its_version").is_some());
}
