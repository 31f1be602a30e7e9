//! What is old is forgotten at the end of a run, and what somebody may still ask for is not.

use std::collections::BTreeMap;

use fencepost_domain::{
    id::{OwnerId, RunId},
    outbox::{DeliveryEnd, EventKind, EventState},
    puzzle::PuzzleRow,
    retention::{AT_ONCE, OPEN_RUN_MS, Perishable, Pruning},
    time::DAY_MS,
};

use crate::{
    Job,
    contract::{
        Fixture,
        lines::{NULL, becomes},
        steps::{due, edit, ok, owner, row, token},
    },
};

async fn start(f: &Fixture, name: &str, job: Job) {
    ok(f.stores.runs.start(&RunId::new(name), job, &owner("ada"), "1.0", None).await);
}

async fn end(f: &Fixture, name: &str, pruning: Option<Pruning>) {
    ok(f.stores.runs.finish(&RunId::new(name), &BTreeMap::new(), None, pruning).await);
}

async fn run(f: &Fixture, name: &str, job: Job) {
    start(f, name, job).await;
    end(f, name, None).await;
}

const fn after_days(days: i64, what: Perishable) -> Option<Pruning> {
    Some(Pruning { what, keep_ms: days * DAY_MS })
}

/// Ends a run that has begun, and checks that exactly these rows are gone with it.
async fn forgets<const N: usize>(f: &Fixture, name: &str, pruning: Option<Pruning>, gone: [&str; N]) {
    let ended = becomes("job_runs", name, "finished_at", NULL, f.clock.now());
    let gone = gone.map(|row| format!("{row} is gone"));
    let (run_id, counts) = (RunId::new(name), BTreeMap::new());
    let finish = f.stores.runs.finish(&run_id, &counts, None, pruning);
    f.changes_traced(finish, [ended].into_iter().chain(gone)).await;
}

pub(super) async fn old_runs_are_forgotten_but_the_first_and_the_newest_of_each_job(f: &Fixture) {
    for name in ["p1", "p2", "p3"] {
        run(f, name, Job::Publish).await;
    }
    start(f, "p4-killed", Job::Publish).await;
    start(f, "p5-killed", Job::Publish).await;
    run(f, "c1", Job::Compensate).await;
    run(f, "c2", Job::Compensate).await;
    let before = ok(f.stores.runs.overview(100).await);
    f.clock.advance(3 * DAY_MS);
    start(f, "c3", Job::Compensate).await;
    let runs = after_days(2, Perishable::Runs);
    forgets(f, "c3", runs, ["job_runs/p2", "job_runs/c1", "job_runs/c2"]).await;

    let overview = ok(f.stores.runs.overview(100).await);
    assert_eq!(overview.known_since, before.known_since);
    let told: Vec<_> = overview.last_runs.iter().map(|run| run.run_id.as_str()).collect();
    assert!(told.contains(&"p5-killed") && told.contains(&"c3"), "{told:?}");
    let heartbeat = |job| move |beat: &&crate::Heartbeat| beat.job == job;
    let of_publish = before.heartbeats.iter().find(heartbeat(Job::Publish));
    assert_eq!(overview.heartbeats.iter().find(heartbeat(Job::Publish)), of_publish);

    start(f, "c4", Job::Compensate).await;
    forgets(f, "c4", runs, []).await;
    f.clock.advance(OPEN_RUN_MS);
    start(f, "c5", Job::Compensate).await;
    forgets(f, "c5", runs, ["job_runs/p4-killed", "job_runs/c3", "job_runs/c4"]).await;
    let numbers: Vec<_> = ok(f.stores.runs.runs(None, 9).await).iter().map(|run| run.number).collect();
    assert_eq!(numbers, [10, 5, 3, 1], "the numbers of others stay, and none is given out twice");
}

pub(super) async fn whoever_takes_long_is_not_forgotten_before_its_end(f: &Fixture) {
    run(f, "first", Job::Publish).await;
    start(f, "slow", Job::Publish).await;
    f.clock.advance(2 * DAY_MS);
    run(f, "quick", Job::Publish).await;
    let runs = after_days(1, Perishable::Runs);
    start(f, "other", Job::Compensate).await;
    forgets(f, "other", runs, []).await;
    // It forgets itself as little.
    f.clock.advance(OPEN_RUN_MS);
    forgets(f, "slow", runs, []).await;
}

pub(super) async fn what_is_not_old_is_kept_to_the_millisecond(f: &Fixture) {
    for name in ["r1", "r2", "r3"] {
        run(f, name, Job::Publish).await;
    }
    f.clock.advance(DAY_MS);
    start(f, "r4", Job::Publish).await;
    let runs = after_days(1, Perishable::Runs);
    forgets(f, "r4", runs, []).await;
    f.clock.advance(1);
    start(f, "r5", Job::Publish).await;
    forgets(f, "r5", None, []).await;
    start(f, "r6", Job::Publish).await;
    forgets(f, "r6", after_days(1, Perishable::Edits), []).await;
    start(f, "r7", Job::Publish).await;
    forgets(f, "r7", runs, ["job_runs/r2", "job_runs/r3"]).await;
}

pub(super) async fn only_so_many_rows_are_forgotten_at_once(f: &Fixture) {
    let count = AT_ONCE + 3;
    for number in 0..count {
        run(f, &format!("r{number}"), Job::Publish).await;
    }
    f.clock.advance(2 * DAY_MS);
    let left = async || f.tables().await["job_runs"].len();
    start(f, "last", Job::Compensate).await;
    end(f, "last", after_days(1, Perishable::Runs)).await;
    assert_eq!(left().await, count + 1 - AT_ONCE);
    // Said again, because its answer was lost.
    end(f, "last", after_days(1, Perishable::Runs)).await;
    assert_eq!(left().await, 3, "the first, the newest of its job, and this one");
}

pub(super) async fn tokens_of_old_imports_are_forgotten_and_nothing_of_the_bank(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.import("e2", [row(2)]).await;
    f.import("e3", [row(2), row(3)]).await;
    let since = ok(f.stores.runs.overview(100).await).known_since;
    f.clock.advance(3 * DAY_MS);
    f.import("e4", [PuzzleRow { name: "Another name".to_owned(), ..row(3) }]).await;
    start(f, "r1", Job::Publish).await;
    let edits = after_days(2, Perishable::Edits);
    forgets(f, "r1", edits, ["bank_edits/e2", "bank_edits/e3"]).await;

    assert_eq!(ok(f.stores.runs.overview(100).await).known_since, since);
    let traced = async |name| ok(f.stores.bank.trace_import(&token(name)).await).is_some();
    assert_eq!([traced("e1").await, traced("e2").await, traced("e4").await], [true, false, true]);
    // A recent one that is sent again, because its answer was lost, is not done again.
    let again = f.stores.bank.import(&edit("e4", [row(3)])).await;
    assert!(again.is_err(), "{again:?}");
    start(f, "r2", Job::Publish).await;
    forgets(f, "r2", edits, []).await;
}

pub(super) async fn delivered_events_are_forgotten_and_never_enqueued_again(f: &Fixture) {
    let outbox = &f.stores.outbox;
    let deliver = async |how: DeliveryEnd| {
        let claimed = ok(outbox.claim(&EventKind::ALL, &OwnerId::new("bea")).await).expect("one is due");
        ok(outbox.record(&claimed, &how).await)
    };
    ok(outbox.enqueue(&EventKind::ALL).await);
    f.import("e1", (1..=5).map(row)).await;
    f.clock.set(due(5));
    for n in 1..=4 {
        f.publish(n).await;
    }
    ok(outbox.enqueue(&EventKind::ALL).await);
    assert_eq!(deliver(DeliveryEnd::Delivered).await, Some(EventState::Delivered));
    assert_eq!(deliver(DeliveryEnd::Delivered).await, Some(EventState::Delivered));
    let events = after_days(30, Perishable::Events);
    start(f, "r0", Job::Publish).await;
    forgets(f, "r0", events, []).await;
    while deliver(DeliveryEnd::Failed("no".to_owned())).await != Some(EventState::Dead) {
        f.clock.advance(DAY_MS);
    }
    f.clock.advance(90 * DAY_MS);
    start(f, "r1", Job::Publish).await;
    forgets(f, "r1", events, ["outbox/1", "outbox/2"]).await;
    f.keeps(outbox.enqueue(&EventKind::ALL)).await;

    // The number of the newest one is not given out again, though it is old and delivered.
    while ok(outbox.claim(&EventKind::ALL, &OwnerId::new("bea")).await).is_some() {
        deliver(DeliveryEnd::Delivered).await;
    }
    f.clock.advance(90 * DAY_MS);
    start(f, "r2", Job::Publish).await;
    end(f, "r2", events).await;
    f.publish(5).await;
    ok(outbox.enqueue(&EventKind::ALL).await);
    let newest = ok(outbox.events(None, None, 1).await);
    assert_eq!((newest[0].number, newest[0].event.puzzle_id()), (5, Some(row(5).puzzle_id)));
}
