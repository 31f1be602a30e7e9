//! What is counted for metrics.

use std::sync::Arc;

use fencepost_application::{CacheUse, Expected, LagCounts, Stop};
use fencepost_domain::{id::OwnerId, outcome::Outcome};
use fencepost_ports::{Begin, CacheError, Job, mock::MockEdgeCache};

use crate::{
    intercepted::Fate,
    world::{Worker, World, due, editor, id},
};

fn outcomes(worker: &Worker) -> Vec<(Outcome, u64)> {
    worker.site.counters.outcomes().into_iter().filter(|(_, count)| *count > 0).collect()
}

fn cache_uses(worker: &Worker) -> [u64; 4] {
    let uses = worker.site.counters.cache_uses();
    assert_eq!(uses.map(|(it, _)| it), CacheUse::ALL);
    uses.map(|(_, count)| count)
}

#[tokio::test]
async fn every_end_of_an_item_is_counted_and_how_late_it_came_out() {
    let world = World::with_finished(2).await;
    let worker = world.worker("worker").await;
    world.clock.set(due(2).plus(1_500));
    worker.run(Job::Publish).await;
    assert_eq!(outcomes(&worker), [(Outcome::Published, 2)]);
    let day_and_some = u64::try_from(due(2).since(due(1)) + 1_500).unwrap();
    let mut lags = LagCounts { sum_ms: day_and_some + 1_500, ..LagCounts::default() };
    (lags.classes[2], lags.classes[8]) = (1, 1);
    assert_eq!(worker.site.counters.lags(), lags);

    worker.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    worker.site.reinstate(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    worker.site.republish(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    let counted =
        [(Outcome::Published, 2), (Outcome::Withdrawn, 1), (Outcome::Reinstated, 1), (Outcome::Unchanged, 1)];
    assert_eq!(outcomes(&worker), counted);
    assert_eq!(worker.site.counters.lags(), lags, "only what comes out for the first time can be late");
}

#[tokio::test]
async fn a_dry_run_is_no_event() {
    let world = World::with_finished(2).await;
    let worker = world.worker("worker").await;
    worker.site.rehearse_job(Job::Publish, &Stop::default()).await.unwrap();
    assert_eq!((outcomes(&worker), worker.site.counters.lags()), (vec![], LagCounts::default()));
}

#[tokio::test]
async fn a_commit_whose_answer_was_lost_is_as_late_as_its_receipt_says() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    worker.store.decide(|name, _| if name == "commit" { Fate::AnswerLost } else { Fate::Answered });
    world.clock.set(due(1).plus(70_000));
    worker.run(Job::Publish).await;
    assert_eq!(outcomes(&worker), [(Outcome::Published, 1)]);
    let mut lags = LagCounts { sum_ms: 70_000, ..LagCounts::default() };
    lags.classes[4] = 1;
    assert_eq!(worker.site.counters.lags(), lags);
}

#[tokio::test]
async fn who_comes_second_counts_that_the_lease_was_held() {
    let world = World::with_finished(1).await;
    let (one, other) = (world.worker("one").await, world.worker("other").await);
    let begin = Begin { puzzle_id: id(1), owner: OwnerId::new("one"), ttl_ms: 60_000, by_hand: false };
    one.site.stores.ledger.begin(&begin).await.unwrap();
    other.run(Job::Publish).await;
    assert_eq!(outcomes(&other), [(Outcome::LeaseHeld, 1)]);
    assert_eq!(other.site.counters.lags(), LagCounts::default());
}

#[tokio::test]
async fn requests_are_counted_by_what_came_of_the_cache() {
    let world = World::with_finished(1).await;
    let mut worker = world.worker("worker").await;
    worker.run(Job::Publish).await;
    worker.answer(1).await;
    assert_eq!(cache_uses(&worker), [0, 1, 0, 0], "it is put there");
    worker.answer(1).await;
    assert_eq!(cache_uses(&worker), [1, 1, 0, 0], "it is there");
    worker.answer(77).await;
    assert_eq!(cache_uses(&worker), [1, 1, 1, 0], "nothing is not kept");

    let mut deaf = MockEdgeCache::new();
    deaf.expect_get().returning(|_| Ok(None));
    deaf.expect_put().returning(|_, _| Err(CacheError("full".to_owned())));
    worker.site.cache = Arc::new(deaf);
    worker.answer(1).await;
    assert_eq!(cache_uses(&worker), [1, 1, 1, 1], "it could not be put there");
    let mut mute = MockEdgeCache::new();
    mute.expect_get().returning(|_| Err(CacheError("gone".to_owned())));
    mute.expect_put().returning(|_, _| Ok(()));
    worker.site.cache = Arc::new(mute);
    worker.answer(1).await;
    assert_eq!(cache_uses(&worker), [1, 1, 1, 2], "it could not be looked for");
}
