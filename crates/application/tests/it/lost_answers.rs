//! Every call of a run is lost once, on the way there and on the way back.

use std::sync::Arc;

use fencepost_application::Stop;
use fencepost_domain::{commit::CommitOutcome, outcome::Outcome};
use fencepost_ports::{Job, PublicationLedger, memory::InstantTimer};

use crate::{
    intercepted::Fate,
    world::{LEASE_MS, World, outcomes},
};

const PUZZLES: i64 = 3;
/// Run, list, then claim, photo and commit of each puzzle.
const FEWEST_CALLS: usize = 12;

#[tokio::test]
async fn whichever_call_is_lost_the_site_ends_up_as_if_nothing_had_happened() {
    let undisturbed = World::with_finished(PUZZLES).await;
    let worker = undisturbed.worker("worker").await;
    worker.run(Job::Publish).await;
    let expected = undisturbed.public_state().await;
    let calls = worker.store.calls();
    assert!(calls.len() > FEWEST_CALLS, "the run made only these calls: {calls:?}");

    for (lost, name) in calls.into_iter().enumerate() {
        for fate in [Fate::RequestLost, Fate::AnswerLost] {
            let case = format!("call {lost}, {name}, {fate:?}");
            let world = World::with_finished(PUZZLES).await;
            let worker = world.worker("worker").await;
            worker.store.decide(move |_, number| if number == lost { fate } else { Fate::Answered });
            let report = worker.run(Job::Publish).await;
            assert_eq!(outcomes(&report), [Outcome::Published; 3], "{case}");
            assert_eq!(world.public_state().await, expected, "{case}");
            worker.assert_sound().await;
        }
    }
}

#[tokio::test]
async fn a_worker_that_hears_nothing_more_from_some_call_on_is_succeeded_by_the_next() {
    let undisturbed = World::with_finished(PUZZLES).await;
    let worker = undisturbed.worker("worker").await;
    worker.run(Job::Publish).await;
    let expected = undisturbed.public_state().await;

    for last in 0..worker.store.calls().len() {
        for fate in [Fate::RequestLost, Fate::AnswerLost] {
            let case = format!("silence from call {last} on, {fate:?}");
            let world = World::with_finished(PUZZLES).await;
            let cut_off = world.worker("cut-off").await;
            cut_off.store.decide(move |_, number| if number >= last { fate } else { Fate::Answered });
            // It may fail as a whole, or report that it does not know.
            let _ = cut_off.site.run_job(Job::Publish, &Stop::default()).await;

            world.clock.advance(LEASE_MS);
            let heir = world.worker("heir").await;
            heir.run(Job::Compensate).await;
            assert_eq!(world.public_state().await, expected, "{case}");
            heir.assert_sound().await;
        }
    }
}

#[tokio::test]
async fn an_answer_lost_after_the_commit_is_found_by_its_receipt_and_reported_once() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    worker.store.decide(|name, _| if name == "commit" { Fate::AnswerLost } else { Fate::Answered });

    let report = worker.run(Job::Publish).await;

    assert_eq!(outcomes(&report), [Outcome::Published]);
    assert_eq!(report.items[0].revision.map(|revision| revision.get()), Some(1));
    assert_eq!(worker.store.calls().iter().filter(|call| **call == "commit").count(), 1);
    assert_eq!(world.count("commit_receipts").await, 1);
}

#[tokio::test]
async fn each_attempt_has_a_token_of_its_own_and_a_late_one_changes_nothing() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    let mut first = true;
    worker.store.decide(move |name, _| {
        if name == "commit" && std::mem::take(&mut first) { Fate::RequestLost } else { Fate::Answered }
    });
    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::Published]);
    let commits = worker.store.commits();
    assert_eq!(commits.len(), 2);
    assert_ne!(commits[0].token, commits[1].token);

    // The first attempt was not lost, only slow: it arrives now.
    let before = world.tables().await;
    let late = worker.store.commit(&commits[0]).await.unwrap().judge();
    assert!(matches!(late, CommitOutcome::Refused { outcome: Outcome::LeaseLost, .. }), "{late:?}");
    assert_eq!(world.tables().await, before);
}

#[tokio::test]
async fn the_first_attempt_may_land_while_the_second_is_under_way() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    let mut first = true;
    worker.store.decide(move |name, _| {
        if name == "commit" && std::mem::take(&mut first) { Fate::RequestLost } else { Fate::Answered }
    });
    // Between the look at the receipts and the second attempt, the first one arrives.
    let store = worker.store.clone();
    worker.store.before("trace", async move {
        let late = store.clone();
        store.before("commit", async move {
            let first = late.commits()[0].clone();
            let landed = late.commit(&first).await.unwrap().judge();
            assert!(matches!(landed, CommitOutcome::Landed { .. }), "{landed:?}");
        });
    });

    let report = worker.run(Job::Publish).await;

    assert_eq!(outcomes(&report), [Outcome::Published]);
    assert_eq!(world.rows("SELECT publication_revision FROM site_state").await, ["publication_revision=1"]);
    assert_eq!(world.count("commit_receipts").await, 1);
    worker.assert_sound().await;
}

#[tokio::test]
async fn a_claim_whose_answer_was_lost_is_claimed_again_with_the_same_fence() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    let mut first = true;
    worker.store.decide(move |name, _| {
        if name == "begin" && std::mem::take(&mut first) { Fate::AnswerLost } else { Fate::Answered }
    });
    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::Published]);
    assert_eq!(world.rows("SELECT fence FROM commit_receipts").await, ["fence=1"]);
}

#[tokio::test]
async fn after_its_last_attempt_a_worker_waits_no_more_and_says_what_it_does_not_know() {
    let world = World::with_finished(1).await;
    let mut worker = world.worker("worker").await;
    let timer = Arc::new(InstantTimer::new());
    worker.site.timer = timer.clone();
    worker.store.decide(|name, _| if name == "commit" { Fate::RequestLost } else { Fate::Answered });

    let report = worker.run(Job::Publish).await;

    assert_eq!(outcomes(&report), [Outcome::Unknown]);
    assert!(report.items[0].detail.as_ref().unwrap().contains("no answer"), "{report:?}");
    assert_eq!((worker.store.commits().len(), timer.waits().len()), (4, 3));
}

/// Whenever the store has no time, and for however long, no item is to blame for it.
#[tokio::test]
async fn a_store_that_is_busy_for_a_while_blocks_no_item() {
    let undisturbed = World::with_finished(1).await;
    let worker = undisturbed.worker("worker").await;
    worker.run(Job::Publish).await;
    let expected = undisturbed.public_state().await;
    let calls = worker.store.calls();
    let begin = calls.iter().position(|call| *call == "begin").unwrap();

    for (first, name) in calls.iter().enumerate().skip(begin + 1) {
        for many in 1..12 {
            let case = format!("busy for {many} calls from {first}, {name}, on");
            let world = World::with_finished(1).await;
            let worker = world.worker("worker").await;
            worker.store.decide(move |_, number| {
                if (first..first + many).contains(&number) { Fate::Busy } else { Fate::Answered }
            });
            if let Ok(report) = worker.site.run_job(Job::Publish, &Stop::default()).await {
                let outcome = outcomes(&report)[0];
                assert!(matches!(outcome, Outcome::Published | Outcome::Unknown), "{case}: {report:?}");
            }
            let attempts = world.rows("SELECT attempts, next_attempt_at FROM publication_items").await;
            assert_eq!(attempts, ["attempts=0 next_attempt_at=0"], "{case}");

            world.clock.advance(LEASE_MS);
            world.worker("heir").await.run(Job::Compensate).await;
            assert_eq!(world.public_state().await, expected, "{case}");
        }
    }
}
