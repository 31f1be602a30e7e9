//! Photos: each fetched once, however it goes.

use crate::world::editor;
use fencepost_application::Expected;
use fencepost_domain::{
    image::{FailureKind, FetchFailure},
    outcome::Outcome,
    puzzle::{ImportFile, ImportRow},
};
use fencepost_ports::{Job, SourceImages};

use crate::world::{LEASE_MS, World, due, id, opens, outcomes, photo, row, url};

fn failure(kind: FailureKind) -> Result<fencepost_ports::FetchedImage, FetchFailure> {
    Err(FetchFailure { kind, message: "it answered 500".to_owned() })
}

#[tokio::test]
async fn the_photos_of_finished_and_open_puzzles_are_fetched_once_each() {
    let world = World::with_finished(6).await;
    world.import([row(7), row(8)]).await;
    let worker = world.worker("worker").await;
    let report = worker.run(Job::Publish).await;
    assert_eq!(outcomes(&report), [Outcome::Published; 6]);
    assert_eq!(report.images.prepared, 1, "today's");
    worker.run(Job::Compensate).await;
    let fetches: Vec<_> = (1..=8).map(|n| world.images.fetches(&url(n))).collect();
    assert_eq!(fetches, [1, 1, 1, 1, 1, 1, 1, 0], "tomorrow's photo is not fetched yet");
    assert_eq!((world.blobs.keys().len(), world.count("source_images").await), (7, 7));

    world.clock.set(opens(8).plus(-7_200_000));
    worker.run(Job::Compensate).await;
    assert_eq!(world.images.fetches(&url(8)), 1, "two hours before it opens");
}

#[tokio::test]
async fn one_photo_of_two_puzzles_is_stored_once() {
    let world = World::new().await;
    world.import([row(1), ImportRow { image_url: Some(url(1)), ..row(2) }]).await;
    world.clock.set(due(2));
    let worker = world.worker("worker").await;
    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::Published; 2]);
    assert_eq!(world.blobs.keys().len(), 1);
}

#[tokio::test]
async fn a_failure_that_may_pass_is_tried_again_later_and_later() {
    let world = World::with_finished(1).await;
    world.images.set(url(1), failure(FailureKind::Passing));
    let worker = world.worker("worker").await;
    let report = worker.run(Job::Publish).await;
    assert_eq!(outcomes(&report), [Outcome::Blocked]);
    assert_eq!(report.items[0].detail.as_deref(), Some("it answered 500"));
    let item = "SELECT state, attempts, next_attempt_at, blocked_reason FROM publication_items";
    let later = world.clock.now().plus(60_000).get();
    assert_eq!(
        world.rows(item).await,
        [format!("state=scheduled attempts=1 next_attempt_at={later} blocked_reason=NULL")]
    );

    assert_eq!(outcomes(&worker.run(Job::Compensate).await), [], "not before its next attempt");
    let mut fetches = 1;
    while world.rows("SELECT state FROM publication_items").await == ["state=scheduled"] {
        let wake = worker.site.next_wake().await.unwrap();
        world.clock.set(wake.upcoming.unwrap());
        worker.run(Job::Compensate).await;
        fetches += 1;
    }
    assert_eq!(fetches, 10, "it is not tried for ever");
    let reason = &world.rows("SELECT blocked_reason FROM publication_items").await[0];
    assert!(reason.contains("it answered 500 (failed 10 times"), "{reason}");
    assert_eq!(worker.site.next_wake().await.unwrap().first(), None, "nobody is woken for a blocked item");

    world.images.set(url(1), Ok(photo(&url(1))));
    assert_eq!(
        worker.site.republish(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
        Outcome::Published
    );
    worker.assert_sound().await;
}

#[tokio::test]
async fn a_failure_that_will_not_pass_blocks_until_the_bank_is_edited() {
    let world = World::with_finished(2).await;
    world.images.set(url(1), failure(FailureKind::Permanent));
    let worker = world.worker("worker").await;
    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::Blocked, Outcome::Published]);
    assert_eq!(outcomes(&worker.run(Job::Compensate).await), [], "a blocked item is left alone");
    assert_eq!(world.images.fetches(&url(1)), 1);

    world.import([ImportRow { image_url: Some(url(99)), ..row(1) }]).await;
    assert_eq!(outcomes(&worker.run(Job::Compensate).await), [Outcome::Published]);
    worker.assert_sound().await;
}

#[tokio::test]
async fn an_item_whose_photo_another_worker_fetches_waits_for_it() {
    let world = World::with_finished(1).await;
    let (worker, other) = (world.worker("worker").await, world.worker("other").await);
    let owner = fencepost_domain::id::OwnerId::new("other");
    SourceImages::begin(&*other.store, id(1), &owner, LEASE_MS).await.unwrap();

    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::LeaseHeld]);
    assert_eq!(world.images.total_fetches(), 0);
    let items = world.rows("SELECT state, attempts FROM publication_items").await;
    assert_eq!(items, ["state=scheduled attempts=0"], "waiting is no failure");
    world.clock.advance(LEASE_MS);
    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::Published]);
}

#[tokio::test]
async fn a_puzzle_without_a_photo_is_published_unindexed_and_a_later_photo_is_an_update() {
    let world = World::new().await;
    world.import([ImportRow { image_url: None, ..row(1) }]).await;
    world.clock.set(due(1));
    let worker = world.worker("worker").await;
    worker.run(Job::Publish).await;
    let page = "SELECT content_version, indexable, image_key IS NULL AS bare FROM answer_posts";
    assert_eq!(world.rows(page).await, ["content_version=1 indexable=0 bare=1"]);

    world.import([row(1)]).await;
    assert_eq!(
        worker.site.republish(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
        Outcome::Updated
    );
    assert_eq!(world.rows(page).await, ["content_version=2 indexable=1 bare=0"]);
    worker.assert_sound().await;
}

#[tokio::test]
async fn a_photo_corrected_during_its_download_blocks_nobody_for_the_old_address() {
    for interlude in ["record_image", "finish"] {
        let world = World::with_finished(1).await;
        world.images.set(url(1), failure(FailureKind::Permanent));
        world.images.set(url(99), Ok(photo(&url(99))));
        let (worker, keeper) = (world.worker("worker").await, world.worker("keeper").await);
        worker.store.before(interlude, async move {
            let corrected = ImportRow { image_url: Some(url(99)), ..row(1) };
            keeper.site.import(&editor(), ImportFile { puzzles: vec![corrected] }).await.unwrap();
        });
        worker.run(Job::Publish).await;
        let item = world.rows("SELECT state, attempts FROM publication_items").await;
        assert_eq!(item, ["state=scheduled attempts=0"], "corrected before {interlude}");
        assert_eq!(outcomes(&worker.run(Job::Compensate).await), [Outcome::Published]);
        worker.assert_sound().await;
    }
}

#[tokio::test]
async fn a_download_that_takes_longer_than_the_lease_is_not_wasted() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    let clock = world.clock.clone();
    worker.store.before("record_image", async move {
        clock.advance(LEASE_MS);
    });
    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::LeaseLost]);
    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::Published]);
    assert_eq!(world.images.total_fetches(), 1);
}

#[tokio::test]
async fn items_whose_photo_is_stored_do_not_wait_for_a_slow_host() {
    let world = World::with_finished(3).await;
    let worker = world.worker("worker").await;
    world.execute("UPDATE puzzles SET image_url = NULL WHERE puzzle_id = 3").await;
    let report = worker.run(Job::Publish).await;
    let order: Vec<_> = report.items.iter().map(|item| item.puzzle_id.get()).collect();
    assert_eq!(order, [3, 1, 2]);
    assert_eq!(report.items[0].revision.map(|revision| revision.get()), Some(1));
}

#[tokio::test]
async fn an_image_store_that_fails_is_asked_again_and_then_given_up_for_a_while() {
    use fencepost_ports::{BlobError, PutOutcome, mock::MockBlobStore};
    for (failures, expected) in [(3, Outcome::Published), (4, Outcome::Blocked)] {
        let world = World::with_finished(1).await;
        let worker = world.worker("worker").await;
        let mut blobs = MockBlobStore::new();
        let mut order = mockall::Sequence::new();
        let broken = |_: &_, _| Err(BlobError::Failed("the disk is full".to_owned()));
        blobs.expect_put().times(failures).in_sequence(&mut order).returning(broken);
        blobs.expect_put().times(0..=1).in_sequence(&mut order).returning(|_, _| Ok(PutOutcome::Stored));
        let site = fencepost_application::Site { blobs: std::sync::Arc::new(blobs), ..worker.site };
        let report = site.run_job(Job::Publish, &fencepost_application::Stop::default()).await.unwrap();
        assert_eq!(outcomes(&report), [expected], "after {failures} failures");
    }
}
