//! Results of the daily game from a crowd, and what one of them costs.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

use fencepost_adapter_sqlite::{SqliteOptions, SqliteStore, StoreClock, open, site_in};
use fencepost_domain::{
    action::Actor,
    id::{CommitToken, PuzzleId, ReportToken},
    puzzle::{ImportFile, ImportRow, Schedule, validate_import},
    results::{DayStats, GameOutcome, GameResult, MAX_RESULTS_PER_PUZZLE, Recorded, ResultReport, Slot},
    time::{PlayDate, UnixMillis},
};
use fencepost_ports::{AnswerPosts, BankEdit, PuzzleBank, ResultsLog, contract::Inspect};
use fencepost_sql::{Statement, answer_posts, results_log};
use sqlx::{SqlitePool, sqlite::SqliteConnectOptions};
use tokio::task::JoinSet;

use crate::backend::{File, bound, fresh};

const REPORTS: u64 = 200;
const SESSIONS: u64 = 150;
/// How many results a puzzle takes.
const ROOM: i64 = MAX_RESULTS_PER_PUZZLE;

fn id() -> PuzzleId {
    PuzzleId::try_from(7).unwrap()
}

fn play_date() -> PlayDate {
    "2026-11-28".parse().unwrap()
}

/// An instant at which the puzzle is played.
fn during_play() -> i64 {
    Schedule::of(play_date(), 0).opens_at.plus(1).get()
}

/// The puzzles of some days of December.
fn others(count: i64) -> impl Iterator<Item = (PuzzleId, PlayDate)> {
    (1..=count).map(|day| {
        (PuzzleId::try_from(id().get() + day).unwrap(), format!("2026-12-{day:02}").parse().unwrap())
    })
}

/// Imports the puzzle, and so many others.
async fn import(store: &SqliteStore, besides: i64) {
    let row = |(id, play_date): (PuzzleId, PlayDate)| ImportRow {
        id: id.get(),
        play_date: play_date.to_string(),
        name: "A teapot".to_owned(),
        price_cents: 1899,
        description: String::new(),
        image_url: None,
        expected_version: None,
    };
    let puzzles = others(besides).chain([(id(), play_date())]).map(row).collect();
    let rows = validate_import(ImportFile { puzzles }).unwrap();
    store
        .import(&BankEdit {
            token: CommitToken::new("e1"),
            rows,
            grace_ms: 0,
            by: Actor::new("Ada", None).unwrap(),
            edits: None,
        })
        .await
        .unwrap();
}

/// The report number `n`, of one of the sessions.
fn report(n: u64) -> ResultReport {
    ResultReport {
        puzzle_id: id(),
        session_id: format!("session-number-{:03}", n % SESSIONS).parse().unwrap(),
        result: GameResult::new(GameOutcome::Won, 1 + i64::try_from(n % 6).unwrap()).unwrap(),
        token: ReportToken::new(format!("report-{n}")),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_crowd_at_two_stores_is_numbered_without_a_gap() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fencepost.db");
    let clock = StoreClock::Manual(Arc::new(AtomicI64::new(during_play())));
    let open = async || {
        let options = SqliteOptions { clock: clock.clone(), ..site_in(&path) };
        Arc::new(open(options).await.unwrap())
    };
    let stores = [open().await, open().await];
    import(&stores[0], 0).await;

    let mut reports = JoinSet::new();
    for n in 0..REPORTS {
        let store = stores[usize::from(n % 3 == 0)].clone();
        reports.spawn(async move { (n % SESSIONS, store.report(&report(n)).await.unwrap()) });
    }
    let mut recorded = BTreeSet::new();
    let mut duplicates = BTreeSet::new();
    for told in reports.join_all().await {
        match told {
            (session, Recorded::Recorded { slot }) => assert!(recorded.insert((session, slot))),
            (session, Recorded::Duplicate { slot, .. }) => assert!(duplicates.insert((session, slot))),
            other => panic!("{other:?}"),
        }
    }
    let slots: BTreeSet<_> = recorded.iter().map(|(_, slot)| slot.get()).collect();
    assert_eq!(slots, (1..=150).collect());
    assert_eq!(recorded.len(), 150, "one result for each session");
    assert_eq!(duplicates.len(), 50);
    assert!(duplicates.is_subset(&recorded), "a duplicate is told the slot that was recorded");

    let answer = stores[1].answer(UnixMillis::new(during_play()), id()).await.unwrap();
    let sql = "SELECT count(*) FILTER (WHERE guesses_used = ?1) FROM daily_results";
    let file = SqlitePool::connect_with(SqliteConnectOptions::new().filename(&path)).await.unwrap();
    let mut stats = DayStats::default();
    for (guesses, won) in (1_i64..).zip(&mut stats.won_with) {
        *won = sqlx::query_scalar(sql).bind(guesses).fetch_one(&file).await.unwrap();
    }
    assert_eq!((stats.results(), answer.value.map(|view| view.stats)), (150, Some(stats)));
}

/// How many steps of its machine SQLite counts for `statements`.
async fn steps(file: &File, statements: &[&Statement]) -> u64 {
    let steps = Arc::new(AtomicU64::new(0));
    let mut connection = file.pool.acquire().await.unwrap();
    // A connection reads the schema with its first statement, which is no part of a report.
    sqlx::query("SELECT max(slot) FROM daily_results WHERE puzzle_id = 0")
        .fetch_one(&mut *connection)
        .await
        .unwrap();
    let count = steps.clone();
    connection.lock_handle().await.unwrap().set_progress_handler(1, move || {
        count.fetch_add(1, Ordering::Relaxed);
        true
    });
    for statement in statements {
        let sql = statement.sql().to_owned();
        bound(sql, statement.params(), during_play()).fetch_all(&mut *connection).await.unwrap();
    }
    connection.lock_handle().await.unwrap().remove_progress_handler();
    steps.load(Ordering::Relaxed)
}

/// What a report is told when the puzzle has `results` results already, and `besides` others
/// are full; and how many steps it takes, and how many the page that tells what came of the
/// day.
async fn costs(results: i64, besides: i64) -> (Recorded, [u64; 2]) {
    let (store, clock, file) = fresh().await;
    clock.set(UnixMillis::new(during_play()));
    import(&store, besides).await;
    for (other, _) in others(besides) {
        file.plant_results(other, ROOM).await.unwrap();
    }
    file.plant_results(id(), results).await.unwrap();

    let page = answer_posts::answer(UnixMillis::new(during_play()), id());
    let batch = results_log::report(&report(0));
    let read = steps(&file, &[&page.statement]).await;
    let written = steps(&file, &[&batch.writes[0], &batch.readback.statement]).await;

    // The same report once more: what was counted has told it this, and nothing is added.
    let told = store.report(&report(0)).await.unwrap();
    let stored = sqlx::query_scalar("SELECT count(*) FROM daily_results").fetch_one(&file.pool);
    let stored: i64 = stored.await.unwrap();
    let recorded = i64::from(matches!(told, Recorded::Recorded { .. }));
    assert_eq!(stored, besides * ROOM + results + recorded);
    (told, [written, read])
}

#[tokio::test]
async fn neither_a_report_nor_a_page_costs_more_when_the_puzzle_is_almost_full() {
    let (few, many) = (costs(9, 0).await, costs(ROOM - 1, 0).await);
    assert_eq!(few.0, Recorded::Recorded { slot: Slot::new(10) });
    assert_eq!(many.0, Recorded::Recorded { slot: Slot::new(ROOM) });
    assert_eq!(few.1, many.1);
    assert!(few.1.iter().all(|steps| *steps > 0), "nothing was counted");
}

#[tokio::test]
async fn nor_does_it_beside_a_million_results_of_other_puzzles_or_when_there_is_no_room() {
    let (last, late) = (costs(ROOM - 1, 0).await, costs(ROOM, 0).await);
    assert_eq!(late.0, Recorded::Full);
    assert!(late.1[0] < last.1[0], "a refusal takes {:?} steps, and a record {:?}", late.1, last.1);
    assert_eq!(costs(ROOM - 1, 20).await, last);
    assert_eq!(costs(ROOM, 20).await, late);
}
