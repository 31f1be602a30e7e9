//! What jobs do about items that are late, and what people do all the same.

use fencepost_domain::{
    action::ActionKind,
    catch_up::CatchUp,
    commit::{Change, Commit},
    guard::Predicate,
    id::RunId,
    outcome::Outcome,
    time::DAY_MS,
};

use crate::{
    Begin, Job,
    contract::{
        Fixture,
        steps::{GRACE_MS, begin, content, due, editor, entry, id, ok, opens, owner, row},
    },
};

const MINUTE_MS: i64 = 60_000;

async fn set(f: &Fixture, publish_late: bool, skip_older_than: Option<i64>) {
    let policy = CatchUp { publish_late, skip_older_than };
    ok(f.stores.ledger.set_catch_up(policy, None, &entry(ActionKind::SetPolicy)).await);
}

/// Whether jobs find puzzle 1, by everything that tells them of it.
async fn is_wanted(f: &Fixture) -> bool {
    let found = ok(f.stores.ledger.runnable(None, 9).await).items.len() == 1;
    assert_eq!(ok(f.stores.ledger.next_wake(9).await).overdue.is_some(), found, "the next wake");
    assert_eq!(ok(f.stores.revisions.moment().await).overdue, found, "what a reader learns");
    let run = RunId::new(format!("run at {}", f.clock.now()));
    ok(f.stores.runs.start(&run, Job::Publish, &owner("cron"), "1.0", None).await);
    let left = ok(f.stores.runs.finish(&run, &std::collections::BTreeMap::new(), None, None).await).left;
    assert_eq!(left == 1, found, "what a run leaves");
    if !found {
        let begun = f.keeps(f.stores.ledger.begin(&begin(1, "ada"))).await;
        assert_eq!(begun.not_taken(), (Outcome::Blocked, Some(Predicate::NotTooLate)));
        assert_eq!(ok(f.stores.ledger.next_wake(9).await).upcoming, None, "nobody is woken for it");
    }
    found
}

pub(super) async fn jobs_catch_up_with_everything_unless_somebody_says_otherwise(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(400));
    assert!(is_wanted(f).await);
}

pub(super) async fn jobs_leave_alone_what_is_older_than_they_may_publish(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    set(f, true, Some(MINUTE_MS)).await;
    f.clock.set(due(1).plus(MINUTE_MS));
    assert!(is_wanted(f).await, "to the last millisecond");
    f.clock.advance(1);
    assert!(!is_wanted(f).await);
    set(f, true, None).await;
    assert!(is_wanted(f).await);
}

pub(super) async fn jobs_publish_on_the_day_or_not_at_all_if_that_is_wanted(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    set(f, false, None).await;
    f.clock.set(due(1).plus(DAY_MS - GRACE_MS - 1));
    assert!(is_wanted(f).await, "to the last millisecond of the day");
    f.clock.advance(1);
    assert_eq!(f.clock.now(), opens(3));
    assert!(!is_wanted(f).await);
}

pub(super) async fn what_is_younger_is_found_behind_what_is_too_late(f: &Fixture) {
    f.import("e1", (1..=3).map(row)).await;
    set(f, true, Some(DAY_MS)).await;
    f.clock.set(due(3));
    let found = ok(f.stores.ledger.runnable(None, 1).await).items;
    assert_eq!(found.iter().map(|item| item.position.puzzle_id).collect::<Vec<_>>(), [id(2)]);
    assert_eq!(ok(f.stores.ledger.next_wake(9).await).overdue, Some(due(2)));
    assert!(ok(f.stores.revisions.moment().await).overdue);
}

pub(super) async fn what_became_too_late_in_hand_is_refused_to_a_job_and_lands_for_a_person(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    set(f, true, Some(MINUTE_MS)).await;
    f.clock.advance(MINUTE_MS + 1);
    let publish = hand.commit("c1", Change::Publish(content(1)));
    f.refuses(&publish, Outcome::Blocked, &[Predicate::NotTooLate]).await;
    f.land(&Commit { by: Some(editor().does(ActionKind::Republish)), ..publish }).await;
}

pub(super) async fn a_person_takes_in_hand_what_is_too_late_for_jobs_and_nothing_that_is_early(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    set(f, true, Some(MINUTE_MS)).await;
    let by_hand = |name| Begin { by_hand: true, ..begin(1, name) };
    f.clock.set(due(1).plus(-1));
    f.keeps(f.stores.ledger.begin(&by_hand("ada"))).await;
    f.clock.set(due(9));
    f.keeps(f.stores.ledger.begin(&begin(1, "ada"))).await;
    let seen = ok(f.stores.ledger.begin(&by_hand("ada")).await);
    let lease = seen.lease_of(&by_hand("ada")).expect("it was free");
    let hand = crate::contract::steps::Hand { lease, seen };
    let by = Some(editor().does(ActionKind::Republish));
    f.land(&Commit { by, ..hand.commit("c1", Change::Publish(content(1))) }).await;
}

pub(super) async fn a_lease_of_ones_own_marks_nothing_that_is_too_late(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.take_over(1, "ada").await;
    set(f, true, Some(MINUTE_MS)).await;
    f.clock.advance(MINUTE_MS + 1);
    f.keeps(f.stores.ledger.begin(&begin(1, "ada"))).await;
}

pub(super) async fn only_publications_come_too_late(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    set(f, false, Some(1)).await;
    f.clock.set(due(9));
    f.withdraw(1).await;
    let hand = f.take_over(1, "editor").await;
    f.land(&hand.commit("c2", Change::Reinstate)).await;
}
