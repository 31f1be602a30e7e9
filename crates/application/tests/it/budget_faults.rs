//! Limited calls, some of which are lost: an invocation never makes more than it may.

use crate::world::editor;
use fencepost_application::Expected;
use fencepost_application::{ImportError, cost};
use fencepost_domain::{
    outcome::Outcome,
    puzzle::{ImportFile, ImportRow},
};
use fencepost_ports::{Budget, StoreErrorKind};

use crate::{
    intercepted::Fate,
    world::{LEASE_MS, World, due, id, outcomes, row},
};

const FREE: u32 = 50;
const LOST: [Fate; 2] = [Fate::RequestLost, Fate::AnswerLost];
/// Enough for one item and the end of its run, and not for a single call more.
const ONE_ITEM: u32 = cost::START_RUN + cost::LIST + cost::ITEM + cost::CLOSING;
/// The claim of the first item, among the calls of a run.
const BEGIN: usize = 2;
/// The commit of the first item.
const COMMIT: usize = 3;

fn rows(items: i64, with_photos: bool) -> impl Iterator<Item = ImportRow> {
    (1..=items).map(move |n| if with_photos { row(n) } else { ImportRow { image_url: None, ..row(n) } })
}

async fn world_of(items: i64, with_photos: bool) -> World {
    let world = World::new().await;
    world.import(rows(items, with_photos)).await;
    world.clock.set(due(items));
    world
}

/// Runs until all is out, each run after the leases of the one before.
async fn finish(
    world: &World,
    items: i64,
    case: &str,
    fate_of: impl Fn(usize) -> Fate + Clone + Send + Sync + 'static,
) {
    for run in 0.. {
        assert!(run < 4 * items, "{case}: it does not get on");
        let name = format!("run-{run}-");
        let invocation = world.lossy_invocation(&name, Budget::of(FREE), fate_of.clone()).await;
        let report = invocation.run().await;
        assert!(invocation.sent() <= FREE, "run {run} sent {}", invocation.sent());
        if report.is_ok_and(|report| report.left == 0 && report.items.is_empty()) {
            return;
        }
        world.clock.advance(LEASE_MS);
    }
}

#[tokio::test]
async fn whichever_call_of_a_run_is_lost_it_ends_in_order_and_within_its_budget() {
    for (items, with_photos) in [(6, false), (3, true)] {
        let calls = {
            let world = world_of(items, with_photos).await;
            let undisturbed = world.invocation("run", Budget::of(FREE)).await;
            undisturbed.run().await.unwrap();
            undisturbed.calls()
        };
        for (number, (name, _)) in calls.into_iter().enumerate() {
            for fate in LOST {
                let case = format!("call {number}, {name}, {fate:?}");
                let world = world_of(items, with_photos).await;
                let lose = move |call| if call == number { fate } else { Fate::Answered };
                let invocation = world.lossy_invocation("run", Budget::of(FREE), lose).await;
                let report = invocation.run().await.unwrap_or_else(|error| panic!("{case}: {error}"));
                assert!(invocation.sent() <= FREE, "{case}: {report:?}");
                assert!(report.left > 0 && report.interrupted, "{case}: {report:?}");
                world.assert_nothing_in_hand(&case).await;

                finish(&world, items, &case, |_| Fate::Answered).await;
                world.assert_all_published_once(items, &case).await;
            }
        }
    }
}

#[tokio::test]
async fn every_nth_call_is_lost_and_no_run_goes_over_its_budget() {
    for (items, with_photos) in [(12, false), (6, true)] {
        // Where every second call is lost, all costs twice, and no item with a photo fits.
        for n in 3..=14 {
            for fate in LOST {
                let world = world_of(items, with_photos).await;
                let lose =
                    move |call: usize| if (call + 1).is_multiple_of(n) { fate } else { Fate::Answered };
                let case = format!("each {n}th call, {fate:?}");
                finish(&world, items, &case, lose).await;
                world.assert_all_published_once(items, &case).await;
            }
        }
    }
}

/// A run whose budget is `budget`, and whose calls with these numbers are lost.
async fn run(
    world: &World,
    budget: u32,
    lost: &'static [usize],
    fate: Fate,
) -> crate::invocation::Invocation {
    let lose = move |call| if lost.contains(&call) { fate } else { Fate::Answered };
    world.lossy_invocation("run", Budget::of(budget), lose).await
}

const ITEM: &str = "SELECT state, attempts, next_attempt_at, blocked_reason FROM publication_items";
const UNTOUCHED: &str = "state=scheduled attempts=0 next_attempt_at=0 blocked_reason=NULL";

#[tokio::test]
async fn an_item_whose_commit_is_no_longer_affordable_is_given_back_and_has_not_failed() {
    for fate in LOST {
        let world = world_of(1, false).await;
        let invocation = run(&world, ONE_ITEM, &[BEGIN], fate).await;
        let report = invocation.run().await.unwrap();
        assert!(invocation.calls().iter().all(|(name, _)| !name.starts_with("commit")), "no commit was sent");
        assert_eq!((outcomes(&report), report.interrupted, report.left), (vec![], true, 1));
        assert_eq!(world.rows(ITEM).await, [UNTOUCHED]);
        finish(&world, 1, "the next run", |_| Fate::Answered).await;
        world.assert_all_published_once(1, "by the next run").await;
    }
}

#[tokio::test]
async fn a_lost_commit_that_cannot_be_repeated_is_unknown_and_its_item_given_back() {
    // With one call more its receipt can be looked for, in vain.
    for budget in [ONE_ITEM, ONE_ITEM + 1] {
        let world = world_of(1, false).await;
        let report = run(&world, budget, &[COMMIT], Fate::RequestLost).await.run().await.unwrap();
        assert_eq!((outcomes(&report), report.left), (vec![Outcome::Unknown], 1), "{budget} calls");
        assert!(report.items[0].detail.as_deref().unwrap().contains("no answer"), "{report:?}");
        assert_eq!(world.rows(ITEM).await, [UNTOUCHED]);
        finish(&world, 1, "the next run", |_| Fate::Answered).await;
        world.assert_all_published_once(1, "by the next run").await;
    }
}

#[tokio::test]
async fn a_commit_that_landed_without_an_answer_is_out_whether_or_not_its_receipt_can_be_looked_for() {
    for (budget, outcome) in [(ONE_ITEM, Outcome::Unknown), (ONE_ITEM + 1, Outcome::Published)] {
        let world = world_of(1, false).await;
        let report = run(&world, budget, &[COMMIT], Fate::AnswerLost).await.run().await.unwrap();
        assert_eq!((outcomes(&report), report.left), (vec![outcome], 0), "{budget} calls");
        world.assert_all_published_once(1, "at once").await;
    }
}

#[tokio::test]
async fn an_item_that_cannot_be_given_back_either_is_unknown_until_its_lease_ends() {
    let world = world_of(1, false).await;
    // The commit, and the first try to give the item back; there are no calls for a second.
    let report = run(&world, ONE_ITEM, &[COMMIT, COMMIT + 1], Fate::RequestLost).await.run().await.unwrap();
    assert_eq!((outcomes(&report), report.left), (vec![Outcome::Unknown], 0), "nobody else can take it");
    assert_eq!(world.rows("SELECT state FROM publication_items").await, ["state=processing"]);
    let unfinished = "SELECT run_id FROM job_runs WHERE finished_at IS NULL";
    assert_eq!(world.rows(unfinished).await, [""; 0], "the run has ended in order");
    world.clock.advance(LEASE_MS);
    finish(&world, 1, "the next run", |_| Fate::Answered).await;
    world.assert_all_published_once(1, "by the next run").await;
}

#[tokio::test]
async fn what_was_sent_without_an_answer_stays_unknown_when_it_cannot_be_tried_again() {
    let world = world_of(1, false).await;
    let operator = run(&world, 5, &[0], Fate::AnswerLost).await;
    let error = operator.site.set_paused(&editor(), true).await.unwrap_err();
    assert!(error.may_have_written(), "{error}");
    assert_eq!(
        (operator.sent(), world.rows("SELECT paused FROM site_state").await),
        (4, vec!["paused=1".to_owned()])
    );
    let refused = run(&world, 1, &[], Fate::AnswerLost).await;
    let error = refused.site.set_paused(&editor(), false).await.unwrap_err();
    assert_eq!((error.kind(), refused.sent()), (StoreErrorKind::OverBudget, 0));
}

#[tokio::test]
async fn an_operator_is_told_of_an_item_that_could_not_be_given_back() {
    let world = world_of(1, false).await;
    world.clock.set(due(1).plus(-1));
    let (looked, taken_over, retried) = (1, 2, 4);
    let budget = looked + taken_over + retried + cost::BEGIN;
    let operator = run(&world, budget, &[], Fate::Answered).await;
    let report = operator.site.republish(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    assert_eq!((report.outcome, operator.sent()), (Outcome::Unknown, budget), "{report:?}");
    let operator = run(&world, budget + cost::GIVE_BACK, &[], Fate::Answered).await;
    assert_eq!(
        operator.site.republish(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
        Outcome::NotDue
    );
}

#[tokio::test]
async fn an_import_without_an_answer_stays_unknown_when_it_cannot_be_asked_about() {
    let world = World::new().await;
    let first = world.invocation("first", Budget::unlimited()).await;
    let file = |n| ImportFile { puzzles: vec![row(n)] };
    first.site.import(&editor(), file(1)).await.unwrap();
    let import = first.sent();
    // The import; and with a call more, the question what became of it, to no avail.
    for calls in [import, import + 1] {
        let keeper = run(&world, calls, &[0], Fate::RequestLost).await;
        let error = keeper.site.import(&editor(), file(2)).await.unwrap_err();
        let ImportError::Store(error) = error else { panic!("{error}") };
        assert!(error.may_have_written(), "{error}");
        assert_eq!((keeper.sent(), world.count("puzzles").await), (calls, 1));
    }
    let keeper = run(&world, import - 1, &[], Fate::Answered).await;
    let error = keeper.site.import(&editor(), file(2)).await.unwrap_err();
    let ImportError::Store(error) = error else { panic!("{error}") };
    assert_eq!((error.kind(), keeper.sent()), (StoreErrorKind::OverBudget, 0));
}
