//! The heartbeat, the overview, and the moment at which a request begins.

use std::collections::BTreeMap;

use fencepost_domain::{
    action::ActionKind,
    calendar::Stretch,
    catch_up::CatchUp,
    id::RunId,
    lease::Lease,
    ledger::{Ending, LONGEST_WAIT_MS},
    outcome::Outcome,
    puzzle::PuzzleRow,
    quota::DailyQuota,
    revision::Revision,
    time::{DAY_MS, UnixMillis},
};
use serde_json::json;

use crate::{
    FinishedRun, HeldLease, Job, JobRun, Overview,
    contract::{
        Fixture,
        lines::{NULL, appears, becomes},
        steps::{DAILY_QUOTA, TTL_MS, date, due, entry, id, ok, opens, owner, row, row_with_photo},
    },
};

async fn start(f: &Fixture, name: &str, job: Job) {
    ok(f.stores.runs.start(&RunId::new(name), job, &owner("ada"), "1.0", None).await);
}

async fn finish(f: &Fixture, name: &str) {
    ok(f.stores.runs.finish(&RunId::new(name), &BTreeMap::new(), None, None).await);
}

pub(super) async fn a_moment_has_the_time_and_both_revisions(f: &Fixture) {
    let check = async |now, publication_revision, bank_revision| {
        let publication_revision = Revision::new(publication_revision);
        let moment = f.keeps(f.stores.revisions.moment()).await;
        let found = (moment.now, moment.publication_revision, moment.bank_revision, moment.overdue);
        assert_eq!(found, (now, publication_revision, bank_revision, false));
    };
    check(opens(1), 0, 0).await;
    f.import("e1", [row(1), row(2)]).await;
    check(opens(1), 0, 1).await;
    f.clock.set(due(1));
    f.publish(1).await;
    check(due(1), 1, 1).await;
    ok(f.stores.ledger.reschedule(id(2), due(3), None, &entry(ActionKind::Reschedule)).await);
    check(due(1), 1, 2).await;
    f.withdraw(1).await;
    check(due(1), 2, 2).await;
}

pub(super) async fn a_moment_knows_the_stretch_of_time_around_it(f: &Fixture) {
    let check = async |now: UnixMillis, since, until| {
        f.clock.set(now);
        let moment = f.keeps(f.stores.revisions.moment()).await;
        assert_eq!(moment.stretch, Stretch { since, until }, "at {now}");
    };
    check(opens(1).plus(5), opens(1), opens(2)).await;
    f.import("e1", [row(2), row(5)]).await;
    check(opens(1).plus(5), opens(1), opens(2)).await;
    check(opens(2), opens(2), opens(3)).await;
    check(due(2).plus(-1), opens(3), due(2)).await;
    check(due(2), due(2), opens(4)).await;
    check(due(5), due(5), opens(7)).await;
    ok(f.stores.ledger.reschedule(id(5), opens(6).plus(900_000), None, &entry(ActionKind::Reschedule)).await);
    check(due(5), due(5), opens(6).plus(900_000)).await;
    check(opens(6).plus(900_000), opens(6).plus(900_000), opens(7)).await;
    f.import("e2", [PuzzleRow { play_date: date(8), ..row(2) }]).await;
    check(due(8).plus(-1), opens(9), due(8)).await;
}

/// Whether a request learns that something is overdue.
async fn overdue(f: &Fixture) -> bool {
    f.keeps(f.stores.revisions.moment()).await.overdue
}

pub(super) async fn a_moment_tells_whether_an_answer_is_overdue(f: &Fixture) {
    f.import("e1", [row(1), row(2), row(3)]).await;
    f.clock.set(due(1).plus(-1));
    assert!(!overdue(f).await, "a millisecond before");
    f.clock.set(due(1));
    assert!(overdue(f).await, "at its very instant");
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    assert!(!overdue(f).await, "a paused site wants nothing out");
    ok(f.stores.ledger.set_paused(false, &entry(ActionKind::Resume)).await);
    f.publish(1).await;
    assert!(!overdue(f).await, "it is out");
    f.clock.set(due(2));
    let hand = f.take(2, "ada").await;
    assert!(overdue(f).await, "whoever has it in hand may have died");
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Fail { delay_ms: 60_000 }).await);
    assert!(!overdue(f).await, "it waits for its next attempt");
    f.clock.advance(60_000);
    assert!(overdue(f).await, "it has waited");
    let hand = f.take(2, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no photo".to_owned() }).await);
    assert!(!overdue(f).await, "only a person can help");
    f.clock.set(due(3));
    let hand = f.take_over(3, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    assert!(!overdue(f).await, "it was taken back");
}

pub(super) async fn a_run_is_recorded_when_it_begins_and_when_it_ends(f: &Fixture) {
    let (run_id, ada) = (RunId::new("r1"), owner("ada"));
    f.clock.set(opens(2).plus(-1));
    let run = json!({
        "job": "publish",
        "owner_id": "ada",
        "build": "1.0",
        "utc_day": opens(1).utc_day(),
        "started_at": opens(2).plus(-1),
        "finished_at": NULL,
        "counts": "{}",
        "error": NULL,
    });
    let begun = f.stores.runs.start(&run_id, Job::Publish, &ada, "1.0", None);
    assert_eq!(f.changes(begun, [appears("job_runs", "r1", &run)]).await, opens(2).plus(-1));

    let now = f.clock.advance(5_000);
    let counts = BTreeMap::from([(Outcome::LeaseHeld, 2), (Outcome::Published, 6)]);
    let expected = [
        becomes("job_runs", "r1", "finished_at", NULL, now),
        becomes("job_runs", "r1", "counts", "{}", "{\"published\":6,\"lease_held\":2}"),
        becomes("job_runs", "r1", "error", NULL, "the store gave no answer"),
    ];
    let ended = f.stores.runs.finish(&run_id, &counts, Some("the store gave no answer"), None);
    let finished = f.changes(ended, expected).await;
    assert_eq!(finished, FinishedRun { finished_at: now, revision: Revision::NONE, left: 0 });
}

pub(super) async fn a_run_ends_with_the_revision_that_it_led_to(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    start(f, "r1", Job::Publish).await;
    f.publish(1).await;
    let finished = ok(f.stores.runs.finish(&RunId::new("r1"), &BTreeMap::new(), None, None).await);
    assert_eq!(finished, FinishedRun { finished_at: due(1), revision: Revision::new(1), left: 0 });
}

/// How much a run that ends now says that it left.
async fn left(f: &Fixture) -> i64 {
    start(f, "r1", Job::Publish).await;
    let finished = ok(f.stores.runs.finish(&RunId::new("r1"), &BTreeMap::new(), None, None).await);
    finished.left
}

pub(super) async fn a_run_ends_with_the_count_of_what_is_due_and_left(f: &Fixture) {
    f.import("e1", (1..=4).map(row)).await;
    f.clock.set(due(1).plus(-1));
    assert_eq!(left(f).await, 0, "a millisecond before");
    f.clock.set(due(1));
    assert_eq!(left(f).await, 1, "at its very instant");
    f.clock.set(due(3));
    assert_eq!(left(f).await, 3);
    f.publish(1).await;
    assert_eq!(left(f).await, 2, "what is out is not left");
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    assert_eq!(left(f).await, 2, "a pause does not make it less");
}

pub(super) async fn what_nobody_could_take_in_hand_is_not_left_by_a_run(f: &Fixture) {
    f.import("e1", (1..=4).map(row)).await;
    f.clock.set(due(3));
    f.take(1, "ada").await;
    assert_eq!(left(f).await, 2, "somebody has it in hand");
    f.clock.advance(TTL_MS - 1);
    assert_eq!(left(f).await, 2);
    f.clock.advance(1);
    assert_eq!(left(f).await, 3, "its lease has ended");

    f.clock.advance(LONGEST_WAIT_MS);
    let hand = f.take(1, "bob").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Fail { delay_ms: 60_000 }).await);
    assert_eq!(left(f).await, 2, "it rests");
    let failed = f.clock.now();
    f.clock.advance(60_000);
    assert_eq!(left(f).await, 3, "it has rested");
    f.clock.set(failed.plus(60_000 - LONGEST_WAIT_MS - 1));
    assert_eq!(left(f).await, 3, "no wait is as long as that: a clock left it behind");

    f.clock.set(failed.plus(60_000));
    for (n, ending) in [(1, Ending::Restore), (2, Ending::Block { reason: "no photo".to_owned() })] {
        let hand = f.take(n, "ada").await;
        ok(f.stores.ledger.finish(&hand.lease, &ending).await);
    }
    let hand = f.take_over(3, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    assert_eq!(left(f).await, 1, "only the one that was put back as it was");
}

pub(super) async fn the_overview_of_a_new_site_is_empty(f: &Fixture) {
    let expected = Overview {
        now: opens(1),
        publication_revision: Revision::NONE,
        bank_revision: 0,
        paused: false,
        scheduled: 0,
        overdue: 0,
        outstanding: 0,
        outstanding_since: None,
        left_alone: 0,
        left_alone_since: None,
        processing: 0,
        blocked: 0,
        published: 0,
        withdrawn: 0,
        quota: None,
        catch_up: fencepost_domain::catch_up::CatchUp::default(),
        next_wake: None,
        last_runs: Vec::new(),
        heartbeats: Vec::new(),
        recent_builds: Vec::new(),
        known_since: None,
        leases: Vec::new(),
    };
    assert_eq!(f.keeps(f.stores.runs.overview(DAILY_QUOTA)).await, expected);
}

pub(super) async fn the_overview_counts_items_by_state(f: &Fixture) {
    f.import("e1", (1..=9).map(row)).await;
    f.clock.set(due(6));
    f.publish(1).await;
    f.publish(2).await;
    f.withdraw(2).await;
    let hand = f.take_over(9, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    let hand = f.take(3, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no photo".to_owned() }).await);
    let held = f.take(4, "ada").await.lease;
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    let expected = Overview {
        now: due(6),
        publication_revision: Revision::new(3),
        bank_revision: 2,
        paused: true,
        scheduled: 4,
        overdue: 4,
        outstanding: 3,
        outstanding_since: Some(due(4)),
        left_alone: 0,
        left_alone_since: None,
        processing: 1,
        blocked: 1,
        published: 1,
        withdrawn: 2,
        quota: Some(DailyQuota { published: 2, quota: DAILY_QUOTA, set_quota: None }),
        catch_up: fencepost_domain::catch_up::CatchUp::default(),
        next_wake: Some(due(6).plus(TTL_MS)),
        last_runs: Vec::new(),
        heartbeats: Vec::new(),
        recent_builds: Vec::new(),
        known_since: Some(opens(1)),
        leases: vec![shown(&held, due(6))],
    };
    assert_eq!(f.keeps(f.stores.runs.overview(DAILY_QUOTA)).await, expected);
}

fn shown(lease: &Lease, held_since: UnixMillis) -> HeldLease {
    HeldLease {
        key: lease.key,
        owner_id: lease.owner.clone(),
        fence: lease.fence,
        held_since,
        expires_at: lease.expires_at,
    }
}

pub(super) async fn the_overview_shows_who_holds_which_lease(f: &Fixture) {
    f.import("e1", [row_with_photo(1), row(2)]).await;
    f.clock.set(due(2));
    let photo = f.take_image(1, "ada").await;
    f.clock.advance(1_000);
    let mut second = f.take(2, "bob").await.lease;
    let taken = due(2).plus(1_000);
    let leases = async || ok(f.stores.runs.overview(DAILY_QUOTA).await).leases;
    assert_eq!(leases().await, [shown(&photo, due(2)), shown(&second, taken)]);
    f.clock.advance(1_000);
    second = ok(f.stores.leases.renew(&second, TTL_MS).await).expect("nobody else has it");
    f.clock.set(due(2).plus(TTL_MS));
    assert_eq!(
        leases().await,
        [shown(&second, taken.plus(1_000))],
        "the first has run out, and this was renewed"
    );
    ok(f.stores.ledger.finish(&second, &Ending::Restore).await);
    assert_eq!(leases().await, [], "released");
}

pub(super) async fn an_item_is_overdue_from_its_instant_on(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let overdue = async || ok(f.stores.runs.overview(DAILY_QUOTA).await).overdue;
    f.clock.set(due(1).plus(-1));
    assert_eq!(overdue().await, 0);
    f.clock.set(due(1));
    assert_eq!(overdue().await, 1);
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Wait { delay_ms: 60_000 }).await);
    assert_eq!(overdue().await, 1, "a wait does not make it punctual");
    f.clock.advance(60_000);
    f.publish(1).await;
    assert_eq!(overdue().await, 0);
}

pub(super) async fn the_overview_tells_since_when_something_is_outstanding(f: &Fixture) {
    f.import("e1", [row(1), row(2), row(3)]).await;
    let check = async |count: i64, since: Option<UnixMillis>| {
        let overview = f.keeps(f.stores.runs.overview(DAILY_QUOTA)).await;
        assert_eq!((overview.outstanding, overview.outstanding_since), (count, since));
    };
    f.clock.set(due(1).plus(-1));
    check(0, None).await;
    f.clock.set(due(1));
    check(1, Some(due(1))).await;
    f.clock.set(due(2).plus(1));
    check(2, Some(due(1))).await;
    let hand = f.take(1, "ada").await;
    check(2, Some(due(1))).await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Wait { delay_ms: 60_000 }).await);
    check(2, Some(due(1))).await;
    f.clock.advance(60_000);
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no photo".to_owned() }).await);
    check(1, Some(due(2))).await;
    f.publish(2).await;
    check(0, None).await;
}

pub(super) async fn what_jobs_leave_alone_is_overdue_and_not_outstanding(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(2));
    let check = async |skip_older_than: Option<i64>, expected: (i64, i64, Option<UnixMillis>)| {
        let policy = CatchUp { publish_late: true, skip_older_than };
        ok(f.stores.ledger.set_catch_up(policy, None, &entry(ActionKind::SetPolicy)).await);
        let overview = ok(f.stores.runs.overview(DAILY_QUOTA).await);
        assert_eq!((overview.overdue, overview.outstanding, overview.outstanding_since), expected);
        let vitals = ok(f.stores.alerts.look().await).vitals;
        assert_eq!((vitals.outstanding, vitals.outstanding_since), (expected.1, expected.2));
        let late = (expected.0 - expected.1, (expected.0 > expected.1).then_some(due(1)));
        assert_eq!((overview.left_alone, overview.left_alone_since), late);
        assert_eq!((vitals.left_alone, vitals.left_alone_since), late);
    };
    let age = due(2).since(due(1));
    check(Some(age), (2, 2, Some(due(1)))).await;
    check(Some(age - 1), (2, 1, Some(due(2)))).await;
    check(None, (2, 2, Some(due(1)))).await;
}

pub(super) async fn the_overview_shows_the_newest_run_of_each_job_that_has_ended(f: &Fixture) {
    let heartbeats = async || {
        let mut beats = f.keeps(f.stores.runs.overview(DAILY_QUOTA)).await.heartbeats;
        beats.sort_by_key(|beat| beat.job.as_str());
        beats.into_iter().map(|beat| (beat.job, beat.ended_at)).collect::<Vec<_>>()
    };
    start(f, "z-first", Job::Publish).await;
    assert_eq!(heartbeats().await, [], "it has not ended");
    f.clock.advance(1_000);
    finish(f, "z-first").await;
    assert_eq!(heartbeats().await, [(Job::Publish, opens(1).plus(1_000))]);
    start(f, "y-second", Job::Publish).await;
    start(f, "x-third", Job::Compensate).await;
    f.clock.advance(1_000);
    ok(f.stores.runs.finish(&RunId::new("x-third"), &BTreeMap::new(), Some("stopped"), None).await);
    let both = [(Job::Compensate, opens(1).plus(2_000)), (Job::Publish, opens(1).plus(1_000))];
    assert_eq!(heartbeats().await, both, "whatever it ended with; and the second was killed");
    f.clock.advance(-1_500);
    start(f, "a-fourth", Job::Compensate).await;
    finish(f, "a-fourth").await;
    let both = [(Job::Compensate, opens(1).plus(500)), (Job::Publish, opens(1).plus(1_000))];
    assert_eq!(heartbeats().await, both, "the newest by the order in which they began");
}

pub(super) async fn the_overview_remembers_the_first_import_run_or_commit(f: &Fixture) {
    let known_since = async || f.keeps(f.stores.runs.overview(DAILY_QUOTA)).await.known_since;
    f.clock.set(due(1));
    start(f, "r1", Job::Publish).await;
    assert_eq!(known_since().await, Some(due(1)), "a run, although it has not ended");
    f.clock.set(opens(1).plus(5));
    f.import("e1", [row(1), row(2)]).await;
    f.clock.advance(7);
    f.import("e2", [row(3)]).await;
    assert_eq!(known_since().await, Some(opens(1).plus(5)), "an import");
    f.clock.set(due(1).plus(5));
    f.publish(1).await;
    start(f, "r2", Job::Publish).await;
    assert_eq!(known_since().await, Some(opens(1).plus(5)), "the first of all");
}

pub(super) async fn the_overview_shows_the_quota_of_the_present_day(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    let quota = async || ok(f.stores.runs.overview(DAILY_QUOTA).await).quota;
    assert_eq!(quota().await, Some(DailyQuota { published: 1, quota: DAILY_QUOTA, set_quota: None }));
    f.clock.advance(DAY_MS);
    assert_eq!(quota().await, None);
}

pub(super) async fn the_overview_shows_the_newest_run_of_each_job(f: &Fixture) {
    start(f, "z-first", Job::Publish).await;
    f.clock.advance(1_000);
    start(f, "y-second", Job::Compensate).await;
    finish(f, "z-first").await;
    f.clock.advance(1_000);
    start(f, "a-third", Job::Publish).await;
    let mut runs = ok(f.stores.runs.overview(DAILY_QUOTA).await).last_runs;
    runs.sort_by_key(|run| run.job.as_str());
    let run = |name: &str, job, after_ms| JobRun {
        run_id: RunId::new(name),
        job,
        owner_id: owner("ada"),
        build: Some("1.0".to_owned()),
        utc_day: opens(1).utc_day(),
        started_at: opens(1).plus(after_ms),
        finished_at: None,
        counts: BTreeMap::new(),
        error: None,
    };
    assert_eq!(runs, [run("y-second", Job::Compensate, 1_000), run("a-third", Job::Publish, 2_000)]);
}

pub(super) async fn a_run_reads_back_as_it_ended(f: &Fixture) {
    start(f, "r1", Job::Compensate).await;
    let counts: BTreeMap<_, _> = Outcome::ALL.into_iter().zip(1..).collect();
    ok(f.stores.runs.finish(&RunId::new("r1"), &counts, Some("stopped"), None).await);
    let runs = ok(f.stores.runs.overview(DAILY_QUOTA).await).last_runs;
    let [run] = runs.as_slice() else { panic!("one job has run, found {runs:?}") };
    assert_eq!((&run.counts, run.error.as_deref()), (&counts, Some("stopped")));
    assert_eq!(run.finished_at, Some(opens(1)));
}

pub(super) async fn runs_are_listed_newest_first_and_page_by_page(f: &Fixture) {
    assert_eq!(f.keeps(f.stores.runs.runs(None, 9)).await, []);
    for (name, job) in [("z", Job::Publish), ("y", Job::Compensate), ("a", Job::Publish)] {
        start(f, name, job).await;
        // Whatever the clock says: the order is that of the beginnings.
        f.clock.advance(-1_000);
    }
    finish(f, "y").await;
    let all = f.keeps(f.stores.runs.runs(None, 9)).await;
    let names: Vec<_> = all.iter().map(|logged| logged.run.run_id.as_str()).collect();
    assert_eq!(names, ["a", "y", "z"]);
    assert!(all.windows(2).all(|pair| pair[0].number > pair[1].number), "{all:?}");
    let newest = ok(f.stores.runs.overview(DAILY_QUOTA).await).last_runs;
    assert!(newest.contains(&all[0].run) && newest.contains(&all[1].run), "as the overview has them");
    let page = f.keeps(f.stores.runs.runs(None, 2)).await;
    assert_eq!(page, all[..2]);
    assert_eq!(f.keeps(f.stores.runs.runs(Some(page[1].number), 2)).await, all[2..]);
    assert_eq!(f.keeps(f.stores.runs.runs(Some(all[2].number), 2)).await, []);
}
