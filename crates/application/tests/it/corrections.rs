//! The bank is corrected while a worker is at work.

use crate::world::editor;
use fencepost_application::ImportError;
use fencepost_domain::{
    outcome::Outcome,
    puzzle::{ImportFile, ImportRow},
};
use fencepost_ports::{Job, RowRefusal};

use crate::intercepted::Fate;
use crate::world::{World, due, id, outcomes, photo, row, url};

/// Corrects the bank between the worker's read and its commit.
async fn check(correction: ImportRow, expected_page: &str) {
    let world = World::with_finished(1).await;
    let (worker, keeper) = (world.worker("worker").await, world.worker("keeper").await);
    if let Some(url) = &correction.image_url {
        world.images.set(url.clone(), Ok(photo(url)));
    }
    worker.store.before("commit", async move {
        keeper.site.import(&editor(), ImportFile { puzzles: vec![correction] }).await.unwrap();
    });

    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::Conflict]);
    assert_eq!(world.count("answer_posts").await, 0);
    assert_eq!(world.rows("SELECT state FROM publication_items").await, ["state=scheduled"]);
    assert_eq!(world.rows("SELECT publication_revision FROM site_state").await, ["publication_revision=0"]);

    assert_eq!(outcomes(&worker.run(Job::Compensate).await), [Outcome::Published]);
    let page = world.rows("SELECT a.price_cents, m.image_url FROM answer_posts a JOIN source_images m USING (puzzle_id) WHERE m.object_key = a.image_key").await;
    assert_eq!(page, [expected_page]);
    worker.assert_sound().await;
}

#[tokio::test]
async fn a_price_corrected_in_mid_publication_is_a_conflict_and_the_next_run_publishes_it() {
    check(ImportRow { price_cents: 777, ..row(1) }, "price_cents=777 image_url=https://photos.example/1.jpg")
        .await;
}

#[tokio::test]
async fn a_photo_corrected_in_mid_publication_is_a_conflict_and_the_next_run_publishes_it() {
    check(
        ImportRow { image_url: Some(url(99)), ..row(1) },
        "price_cents=100 image_url=https://photos.example/99.jpg",
    )
    .await;
}

#[tokio::test]
async fn an_item_postponed_in_mid_publication_is_not_published() {
    let world = World::with_finished(1).await;
    let (worker, keeper) = (world.worker("worker").await, world.worker("keeper").await);
    keeper.site.reschedule(&editor(), id(1), due(1), None).await.unwrap();
    worker.store.before("commit", async move {
        keeper.site.reschedule(&editor(), id(1), due(2), Some(due(1))).await.unwrap();
    });
    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::NotDue]);
    assert_eq!(world.count("answer_posts").await, 0);

    world.clock.set(due(2).plus(-1));
    assert_eq!(outcomes(&worker.run(Job::Publish).await), []);
    world.clock.set(due(2));
    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::Published]);
}

#[tokio::test]
async fn a_pause_stops_a_running_job_at_its_next_commit() {
    let world = World::with_finished(2).await;
    let (worker, operator) = (world.worker("worker").await, world.worker("operator").await);
    worker.store.before("commit", async move { operator.site.set_paused(&editor(), true).await.unwrap() });
    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::Paused]);
    assert_eq!(world.rows("SELECT DISTINCT state FROM publication_items").await, ["state=scheduled"]);

    let before = world.tables().await;
    assert_eq!(outcomes(&worker.run(Job::Compensate).await), [Outcome::Paused], "one word for all of them");
    assert_eq!(world.tables().await, before, "a paused site is not even claimed on");

    worker.site.set_paused(&editor(), false).await.unwrap();
    assert_eq!(outcomes(&worker.run(Job::Compensate).await), [Outcome::Published; 2]);
}

#[tokio::test]
async fn a_late_import_does_not_undo_a_correction() {
    let world = World::with_finished(1).await;
    let keeper = world.worker("keeper").await;
    world.import([ImportRow { price_cents: 777, ..row(1) }]).await;
    let before = world.tables().await;

    let stale = ImportRow { expected_version: Some(1), ..row(1) };
    let refused =
        keeper.site.import(&editor(), ImportFile { puzzles: vec![row(2), stale] }).await.unwrap_err();

    let ImportError::Refused(rows) = refused else { panic!("{refused:?}") };
    assert_eq!(rows.len(), 1);
    assert!(
        matches!(rows[0].reason, RowRefusal::StaleVersion { stored: Some(version) } if version.get() == 2)
    );
    assert_eq!(world.tables().await, before, "the sound row of a refused import was imported");
}

#[tokio::test]
async fn an_import_whose_answer_is_lost_is_reported_as_what_it_did() {
    for fate in [Fate::RequestLost, Fate::AnswerLost] {
        let world = World::with_finished(1).await;
        let keeper = world.worker("keeper").await;
        let mut first = true;
        keeper.store.decide(move |name, _| {
            if name == "import" && std::mem::take(&mut first) { fate } else { Fate::Answered }
        });
        let correction = ImportRow { price_cents: 777, expected_version: Some(1), ..row(1) };
        let done = keeper.site.import(&editor(), ImportFile { puzzles: vec![correction] }).await.unwrap();
        assert_eq!((done.updated, done.bank_revision), (1, 2), "{fate:?}");
        assert_eq!(world.rows("SELECT bank_version FROM puzzles").await, ["bank_version=2"]);
    }
}
