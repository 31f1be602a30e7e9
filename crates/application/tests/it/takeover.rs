//! A worker that falls asleep between its read and its commit.

use crate::world::editor;
use fencepost_application::Expected;
use fencepost_domain::{commit::CommitKind, outcome::Outcome};
use fencepost_ports::{Begin, Job, PublicationLedger};

use crate::world::{LEASE_MS, World, id, outcomes};

#[tokio::test]
async fn a_worker_that_wakes_after_a_takeover_writes_nothing() {
    let world = World::with_finished(1).await;
    let (sleeper, rival) = (world.worker("sleeper").await, world.worker("rival").await);
    let clock = world.clock.clone();
    let ledger = rival.store.clone();
    sleeper.store.before("commit", async move {
        clock.advance(LEASE_MS);
        let owner = fencepost_domain::id::OwnerId::new("rival");
        let begin = Begin { puzzle_id: id(1), owner, ttl_ms: LEASE_MS, by_hand: false };
        let seen = PublicationLedger::begin(&*ledger, &begin).await.unwrap();
        assert_eq!(seen.lease_of(&begin).map(|lease| lease.fence.get()), Some(2));
    });

    let report = sleeper.run(Job::Publish).await;

    assert_eq!(outcomes(&report), [Outcome::LeaseLost]);
    let tables = world.tables().await;
    assert_eq!(tables["answer_posts"], [""; 0]);
    assert_eq!(tables["commit_receipts"], [""; 0]);
    assert_eq!(tables["daily_quotas"], [""; 0]);
    assert_eq!(
        tables["site_state"],
        ["id=1 publication_revision=0 bank_revision=2 paused=0 publish_late=1 skip_older_than=NULL"]
    );
    assert!(tables["publication_items"][0].contains("state=processing"), "{:?}", tables["publication_items"]);
    let lease = tables["job_leases"].iter().find(|row| row.contains("publication:1")).unwrap();
    assert!(lease.contains("owner_id=rival fence=2"), "{lease}");
    assert!(!lease.contains("expires_at=0"), "the sleeper released the rival's lease: {lease}");
    sleeper.assert_sound().await;
}

#[tokio::test]
async fn a_worker_that_wakes_after_its_rival_has_published_changes_nothing() {
    let world = World::with_finished(1).await;
    let (sleeper, rival) = (world.worker("sleeper").await, world.worker("rival").await);
    let clock = world.clock.clone();
    sleeper.store.before("commit", async move {
        clock.advance(LEASE_MS);
        assert_eq!(outcomes(&rival.run(Job::Publish).await), [Outcome::Published]);
    });

    let report = sleeper.run(Job::Publish).await;

    assert_eq!(outcomes(&report), [Outcome::LeaseLost]);
    let receipts = world.rows("SELECT kind, content_version, revision, fence FROM commit_receipts").await;
    assert_eq!(receipts, ["kind=publish content_version=1 revision=1 fence=2"]);
    assert_eq!(world.rows("SELECT published FROM daily_quotas").await, ["published=1"]);
    sleeper.assert_sound().await;
}

#[tokio::test]
async fn an_operator_takes_over_from_a_worker_in_mid_publication() {
    let world = World::with_finished(1).await;
    let (sleeper, operator) = (world.worker("sleeper").await, world.worker("operator").await);
    sleeper.store.before("commit", async move {
        assert_eq!(
            operator.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
            Outcome::Withdrawn
        );
    });

    let report = sleeper.run(Job::Publish).await;

    assert_eq!(outcomes(&report), [Outcome::LeaseLost]);
    assert_eq!(world.count("answer_posts").await, 0);
    assert_eq!(world.rows("SELECT state FROM publication_items").await, ["state=withdrawn"]);
    assert_eq!(world.count("commit_receipts").await, 0, "nothing of kind {:?}", CommitKind::Publish);
    sleeper.assert_sound().await;
}

#[tokio::test]
async fn a_worker_whose_lease_ran_out_during_the_download_stops() {
    let world = World::with_finished(1).await;
    let (sleeper, rival) = (world.worker("sleeper").await, world.worker("rival").await);
    let clock = world.clock.clone();
    // The download took longer than both leases; a rival has published meanwhile.
    sleeper.store.before("record_image", async move {
        clock.advance(LEASE_MS);
        assert_eq!(outcomes(&rival.run(Job::Publish).await), [Outcome::Published]);
    });

    let report = sleeper.run(Job::Publish).await;

    assert_eq!(outcomes(&report), [Outcome::LeaseLost]);
    assert!(!sleeper.store.calls().contains(&"commit"), "a lost lease must not even try");
    assert_eq!(world.blobs.keys().len(), 1, "both downloads stored one object");
    sleeper.assert_sound().await;
}

#[tokio::test]
async fn a_dead_workers_item_is_taken_when_its_lease_ends_and_not_before() {
    let world = World::with_finished(1).await;
    let (dead, heir) = (world.worker("dead").await, world.worker("heir").await);
    let owner = fencepost_domain::id::OwnerId::new("dead");
    let begin = Begin { puzzle_id: id(1), owner, ttl_ms: LEASE_MS, by_hand: false };
    PublicationLedger::begin(&*dead.store, &begin).await.unwrap();

    assert_eq!(outcomes(&heir.run(Job::Compensate).await), [Outcome::LeaseHeld]);
    let wake = heir.site.next_wake().await.unwrap();
    assert_eq!((wake.overdue, wake.upcoming), (None, Some(wake.now.plus(LEASE_MS))));

    world.clock.advance(LEASE_MS - 1);
    assert_eq!(outcomes(&heir.run(Job::Compensate).await), [Outcome::LeaseHeld]);
    world.clock.advance(1);
    assert_eq!(outcomes(&heir.run(Job::Compensate).await), [Outcome::Published]);
    heir.assert_sound().await;
}
