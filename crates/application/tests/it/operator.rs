//! An operator's changes.

use crate::world::editor;
use fencepost_application::ActionError;
use fencepost_application::Expected;
use fencepost_domain::{guard::Predicate, outcome::Outcome, puzzle::ImportRow};
use fencepost_ports::Job;

use crate::world::{World, due, id, outcomes, row};

async fn published() -> (World, crate::world::Worker) {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::Published]);
    (world, worker)
}

async fn revision(world: &World) -> String {
    world.rows("SELECT publication_revision FROM site_state").await.remove(0)
}

#[tokio::test]
async fn a_page_is_withdrawn_and_reinstated_with_a_revision_each() {
    let (world, worker) = published().await;
    let withdrawn = worker.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    assert_eq!((withdrawn.outcome, withdrawn.revision.map(|it| it.get())), (Outcome::Withdrawn, Some(2)));
    assert!(worker.answer(1).await.contains("view: Withdrawn"));
    assert_eq!(
        worker.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
        Outcome::Unchanged
    );

    let back = worker.site.reinstate(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    assert_eq!((back.outcome, back.content_version.map(|it| it.get())), (Outcome::Reinstated, Some(3)));
    assert!(worker.answer(1).await.contains("view: Public("));
    assert_eq!(
        worker.site.reinstate(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
        Outcome::Unchanged
    );
    assert_eq!(revision(&world).await, "publication_revision=3");
    assert_eq!(world.rows("SELECT sum(published) AS n FROM daily_quotas").await, ["n=1"]);
    worker.assert_sound().await;
}

#[tokio::test]
async fn an_item_withdrawn_before_publication_answers_like_an_unknown_one() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    assert_eq!(
        worker.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
        Outcome::Withdrawn
    );
    assert!(worker.answer(1).await.contains("view: Unknown"));
    assert!(worker.answer(77).await.contains("view: Unknown"));
    assert_eq!(world.count("commit_receipts").await, 0);
    assert_eq!(outcomes(&worker.run(Job::Publish).await), []);

    assert_eq!(
        worker.site.reinstate(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
        Outcome::Reinstated
    );
    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::Published]);
    worker.assert_sound().await;
}

#[tokio::test]
async fn pause_and_quota_stop_a_publication_but_no_withdrawal() {
    let (world, worker) = published().await;
    worker.site.set_paused(&editor(), true).await.unwrap();
    world.execute("UPDATE daily_quotas SET quota = 0").await;
    assert_eq!(
        worker.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
        Outcome::Withdrawn
    );
    let refused = worker.site.reinstate(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    assert_eq!((refused.outcome, refused.blocked_by), (Outcome::Paused, vec![Predicate::NotPaused]));
}

#[tokio::test]
async fn republishing_brings_an_edit_out_and_otherwise_changes_nothing() {
    let (world, worker) = published().await;
    let before = world.public_state().await;
    let same = worker.site.republish(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    assert_eq!((same.outcome, same.content_version.map(|it| it.get())), (Outcome::Unchanged, Some(1)));
    assert_eq!(world.public_state().await, before);

    world.import([ImportRow { price_cents: 777, ..row(1) }]).await;
    let updated = worker.site.republish(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    assert_eq!((updated.outcome, updated.content_version.map(|it| it.get())), (Outcome::Updated, Some(2)));
    assert_eq!(world.rows("SELECT price_cents FROM answer_posts").await, ["price_cents=777"]);
    worker.assert_sound().await;
}

#[tokio::test]
async fn a_page_never_loses_its_photo_or_its_place_in_search_engines() {
    let (world, worker) = published().await;
    world.import([ImportRow { image_url: None, ..row(1) }]).await;
    let before = world.public_state().await;
    let refused = worker.site.republish(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    assert_eq!(refused.outcome, Outcome::Blocked);
    assert_eq!(refused.blocked_by, [Predicate::StaysIndexable, Predicate::KeepsPhoto]);
    assert_eq!(world.public_state().await, before);
    let released = world.rows("SELECT expires_at FROM job_leases WHERE key = 'publication:1'").await;
    assert_eq!(released, ["expires_at=0"], "a refused operator does not keep the lease");
}

#[tokio::test]
async fn two_operators_do_not_overwrite_each_other() {
    let (world, worker) = published().await;
    let other = world.worker("other").await;
    world.import([ImportRow { price_cents: 777, ..row(1) }]).await;
    worker.store.before("commit", async move {
        assert_eq!(
            other.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
            Outcome::Withdrawn
        );
    });
    assert_eq!(
        worker.site.republish(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
        Outcome::LeaseLost
    );
    assert_eq!(revision(&world).await, "publication_revision=2");
    worker.assert_sound().await;
}

#[tokio::test]
async fn a_withdrawal_prevails_over_whatever_gets_ahead_of_it() {
    let (world, worker) = published().await;
    let other = world.worker("other").await;
    world.import([ImportRow { price_cents: 777, ..row(1) }]).await;
    worker.store.before("commit", async move {
        assert_eq!(
            other.site.republish(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
            Outcome::Updated
        );
    });
    assert_eq!(
        worker.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
        Outcome::Withdrawn
    );
    assert!(worker.answer(1).await.contains("view: Withdrawn"));
    assert_eq!(revision(&world).await, "publication_revision=3");
    worker.assert_sound().await;
}

#[tokio::test]
async fn republishing_takes_an_item_out_of_the_hands_of_a_worker_that_is_stuck() {
    let world = World::with_finished(1).await;
    let (stuck, operator) = (world.worker("stuck").await, world.worker("operator").await);
    stuck.store.before("commit", async move {
        assert_eq!(
            operator.site.republish(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
            Outcome::Published
        );
    });
    assert_eq!(outcomes(&stuck.run(Job::Publish).await), [Outcome::LeaseLost]);
    assert_eq!(revision(&world).await, "publication_revision=1");
    stuck.assert_sound().await;
}

#[tokio::test]
async fn reinstating_what_is_not_withdrawn_disturbs_nobody() {
    let world = World::with_finished(1).await;
    let (worker, operator) = (world.worker("worker").await, world.worker("operator").await);
    worker.store.before("commit", async move {
        assert_eq!(
            operator.site.reinstate(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
            Outcome::Unchanged
        );
    });
    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::Published]);
}

#[tokio::test]
async fn nothing_is_published_before_its_time_not_even_by_an_operator() {
    let world = World::new().await;
    world.import([row(1)]).await;
    world.clock.set(due(1).plus(-1));
    let worker = world.worker("worker").await;
    assert_eq!(
        worker.site.republish(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
        Outcome::NotDue
    );
    assert_eq!(outcomes(&worker.run(Job::Publish).await), []);
    assert_eq!(worker.site.next_wake().await.unwrap().upcoming, Some(due(1)));
    world.clock.set(due(1));
    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::Published]);
}

#[tokio::test]
async fn an_unknown_puzzle_is_told_as_such() {
    let world = World::new().await;
    let worker = world.worker("worker").await;
    let expected = Err(ActionError::UnknownPuzzle(id(5)));
    assert_eq!(worker.site.withdraw(&editor(), id(5), Expected::ANYTHING).await, expected);
    assert_eq!(worker.site.reinstate(&editor(), id(5), Expected::ANYTHING).await, expected);
    assert_eq!(worker.site.republish(&editor(), id(5), Expected::ANYTHING).await, expected);
    assert_eq!(world.count("job_leases").await, 0);
}
