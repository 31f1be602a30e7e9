//! Batches that have to fail: what SQLite makes of them, and of one that does not.

use fencepost_adapter_sqlite::SqliteStore;
use fencepost_domain::{
    action::Actor,
    id::{CommitToken, OwnerId, PuzzleId},
    lease::LeaseKey,
    page::AnswerContent,
    preflight::Begin,
    puzzle::PuzzleRow,
    rehearsal::Rehearsal,
    time::UnixMillis,
};
use fencepost_plan_store::PlanRunner;
use fencepost_ports::{
    BankEdit, LeaseStore, PublicationLedger, PuzzleBank, StoreErrorKind,
    contract::{Inspect, sort},
};
use fencepost_sql::{publication_ledger::preflight, rehearsal::rehearsal};

use crate::backend::fresh;

fn id() -> PuzzleId {
    PuzzleId::try_from(1).unwrap()
}

/// One puzzle that is due, and its rehearsal.
async fn prepared(store: &SqliteStore, clock: &fencepost_ports::contract::ManualClock) -> Rehearsal {
    let row = PuzzleRow {
        puzzle_id: id(),
        play_date: "2026-11-28".parse().unwrap(),
        name: "A teapot".to_owned(),
        price_cents: 1899,
        description: String::new(),
        image_url: None,
        expected_version: None,
    };
    let edit = BankEdit {
        token: CommitToken::new("edit"),
        rows: vec![row],
        grace_ms: 600_000,
        by: Actor::new("Ada", None).unwrap(),
        edits: None,
    };
    store.import(&edit).await.unwrap();
    clock.set("2026-11-29T00:10:00Z".parse::<UnixMillis>().unwrap());
    let seen = store.look(id()).await.unwrap();
    let puzzle = seen.puzzle.clone().unwrap();
    let content = AnswerContent {
        play_date: puzzle.play_date,
        name: puzzle.name,
        price_cents: puzzle.price_cents,
        body_html: String::new(),
        image_key: None,
    };
    let begin = Begin { puzzle_id: id(), owner: OwnerId::new("me"), ttl_ms: 180_000, by_hand: false };
    Rehearsal::of(&seen, begin, CommitToken::new("token"), content, 10).unwrap()
}

#[tokio::test]
async fn a_batch_that_should_have_failed_and_did_not_is_undone_and_no_answer() {
    let (store, clock, file) = fresh().await;
    let prepared = prepared(&store, &clock).await;
    let tables = async || {
        let mut tables = file.tables().await.unwrap();
        sort(&mut tables);
        tables
    };
    let before = tables().await;
    let mut batch = rehearsal(&prepared);
    batch.raise = preflight(id()).statement;
    let error = store.runner().rehearse(batch).await.unwrap_err();
    assert_eq!((error.kind(), error.may_have_written()), (StoreErrorKind::Assertion, false));
    assert!(error.to_string().contains("publication_ledger/preflight did not raise"), "{error}");
    assert_eq!(tables().await, before, "rolled back all the same");
    assert!(store.rehearse(&prepared).await.unwrap().landed, "and the connection is as good as before");
    assert_eq!(tables().await, before);
}

#[tokio::test]
async fn an_error_on_the_way_is_that_error_and_nothing_is_kept() {
    let (store, clock, file) = fresh().await;
    let prepared = prepared(&store, &clock).await;
    // One connection: another one would go on knowing a trigger that is gone.
    let mut connection = file.pool.acquire().await.unwrap();
    for (how, told) in [("ABORT", "no receipt"), ("ROLLBACK", "no receipt")] {
        let trigger = format!(
            "CREATE TRIGGER forbid BEFORE INSERT ON commit_receipts BEGIN SELECT RAISE({how}, '{told}'); END"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(trigger)).execute(&mut *connection).await.unwrap();
        let error = store.rehearse(&prepared).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Refused);
        assert!(error.to_string().contains(told), "{error}");
        sqlx::raw_sql("DROP TRIGGER forbid").execute(&mut *connection).await.unwrap();
        assert!(store.rehearse(&prepared).await.unwrap().landed, "after {how}");
    }
    let sql = "DELETE FROM site_state";
    sqlx::raw_sql(sql).execute(&mut *connection).await.unwrap();
    assert_eq!(store.rehearse(&prepared).await.unwrap_err().kind(), StoreErrorKind::Assertion);
}

#[tokio::test]
async fn a_rehearsal_waits_for_its_turn_and_lets_others_have_theirs() {
    let (store, clock, _file) = fresh().await;
    let prepared = prepared(&store, &clock).await;
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..20_i64 {
        let (store, prepared) = (store.clone(), prepared.clone());
        tasks.spawn(async move {
            let key = LeaseKey::Publication(PuzzleId::try_from(100 + n).unwrap());
            let claimed = LeaseStore::claim(&*store, key, &OwnerId::new("other"), 180_000).await.unwrap();
            (claimed.owner, store.rehearse(&prepared).await.unwrap().landed)
        });
    }
    for done in tasks.join_all().await {
        assert_eq!(done, (OwnerId::new("other"), true));
    }
}
