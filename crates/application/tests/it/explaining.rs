//! What keeps an item from being published, told before anybody tries.
//!
//! For every predicate of a publication's guard there is something that makes it false, and
//! it alone. Most of them can lie there beforehand. Then the explanation names exactly that
//! one, and a run that comes afterwards reports the same, by the same name.
//!
//! | predicate | made false, alone, by | named by the explanation | reported by |
//! |---|---|---|---|
//! | `lease_owner` | another worker that has the item in hand | yes | a run |
//! | `item_state` | a failure that blocked the item | yes | an attempt; a run passes it over |
//! | `item_due` | an embargo that has not ended | yes | an attempt; a run passes it over |
//! | `image_ready` | a photo that is not stored and cannot be had | yes | a run |
//! | `quota_left` | a day whose quota is used up | yes | a run |
//! | `not_paused` | a pause | yes | a run |
//! | `lease_fence` | the same owner's later claim, between claim and commit | nothing lies there beforehand | the commit |
//! | `lease_live` | a lease that runs out between claim and commit | nothing, as above | the commit |
//! | `bank_version` | an edit in between, after which the same worker took the item again | nothing, as above | the commit |
//! | `content_version` | nothing: whatever makes a page also moves the item, and ends the lease | – | the commit, together with those |
//!
//! The last four speak of what an attempt has seen. Where there is no attempt, they cannot be
//! false, and the tests further down change the world right before a commit. That each of the
//! four refuses alone is shown on every store by the contract's cases `refusing`, which make
//! an attempt that believes what is not so. The contract also holds every explanation against
//! what the store itself says, on D1 as well: its cases `explaining`.

use crate::world::editor;
use fencepost_application::{ItemReport, Settings};
use fencepost_domain::{
    commit::CommitKind,
    guard::Predicate,
    id::OwnerId,
    image::{FailureKind, FetchFailure},
    lease::LeaseKey,
    outcome::Outcome,
    puzzle::{ImportFile, ImportRow},
};
use fencepost_ports::{Begin, Job, LeaseStore, PublicationLedger};

use crate::{
    warnings::Warnings,
    world::{LEASE_MS, Worker, World, due, id, row, url},
};

/// One item without a photo, which is due.
async fn world() -> World {
    let world = World::new().await;
    world.import([ImportRow { image_url: None, ..row(1) }]).await;
    world.clock.set(due(1));
    world
}

/// The predicates that the explanation names, after a look at the whole of it.
async fn named(worker: &Worker) -> Vec<Predicate> {
    let explanation = worker.site.item(id(1)).await.unwrap();
    let all: Vec<_> = explanation.guard.iter().map(|finding| finding.predicate).collect();
    assert_eq!(all, CommitKind::Publish.guard(), "every predicate is told");
    let broken: Vec<_> = explanation.guard.iter().filter(|it| !it.holds).collect();
    let hindrances: Vec<_> = broken.iter().map(|it| (it.predicate, it.detail.clone())).collect();
    let blocked_by: Vec<_> =
        explanation.blocked_by.iter().map(|it| (it.predicate, it.detail.clone())).collect();
    assert_eq!(hindrances, blocked_by);
    assert!(explanation.guard.iter().all(|finding| !finding.detail.is_empty()));
    broken.into_iter().map(|finding| finding.predicate).collect()
}

async fn detail(worker: &Worker) -> String {
    worker.site.item(id(1)).await.unwrap().blocked_by.remove(0).detail
}

/// Runs the job, which has to look at the item.
async fn run(worker: &Worker) -> ItemReport {
    worker.run(Job::Publish).await.items.remove(0)
}

/// Attempts the item past the list of what is due.
async fn attempt(worker: &Worker) -> ItemReport {
    attempt_as(worker, "job").await
}

async fn attempt_as(worker: &Worker, owner: &str) -> ItemReport {
    worker.site.publish_item(id(1), &OwnerId::new(owner)).await.unwrap()
}

#[track_caller]
fn agrees(report: &ItemReport, outcome: Outcome, blocked_by: Predicate) {
    assert_eq!((report.outcome, &report.blocked_by), (outcome, &vec![blocked_by]), "{report:?}");
}

#[tokio::test]
async fn nothing_in_the_way_is_told_as_that_and_a_run_publishes() {
    let world = world().await;
    let worker = world.worker("worker").await;
    assert_eq!(named(&worker).await, []);
    assert_eq!(run(&worker).await.outcome, Outcome::Published);
    let out = worker.site.item(id(1)).await.unwrap();
    assert_eq!(
        (out.guard, out.blocked_by, out.history.len()),
        (vec![], vec![], 1),
        "nobody would publish it"
    );
}

#[tokio::test]
async fn an_item_in_the_hands_of_another_is_named_by_its_lease_alone() {
    let world = world().await;
    let (worker, other) = (world.worker("worker").await, world.worker("other").await);
    let key = LeaseKey::Publication(id(1));
    LeaseStore::claim(&*other.store, key, &OwnerId::new("other/1"), LEASE_MS).await.unwrap();
    assert_eq!(named(&worker).await, [Predicate::LeaseOwner]);
    agrees(&run(&worker).await, Outcome::LeaseHeld, Predicate::LeaseOwner);
    let report = attempt(&worker).await;
    agrees(&report, Outcome::LeaseHeld, Predicate::LeaseOwner);
    let told = detail(&worker).await;
    assert_eq!(report.detail.as_ref(), Some(&told));
    assert!(told.starts_with("other/1 holds the lease, fence 1, until "), "{told}");
}

#[tokio::test]
async fn an_item_that_is_blocked_is_named_by_its_state_alone_and_says_why() {
    let world = world().await;
    world.execute("UPDATE publication_items SET state = 'blocked', blocked_reason = 'a reason'").await;
    let worker = world.worker("worker").await;
    assert_eq!(
        (named(&worker).await, detail(&worker).await),
        (vec![Predicate::ItemState], "a reason".to_owned())
    );
    assert_eq!(worker.run(Job::Publish).await.items, []);
    let report = attempt(&worker).await;
    agrees(&report, Outcome::Blocked, Predicate::ItemState);
    assert_eq!(report.detail.as_deref(), Some("a reason"));
}

#[tokio::test]
async fn an_embargo_is_named_alone_and_says_when_it_ends() {
    let world = world().await;
    world.clock.set(due(1).plus(-1));
    let worker = world.worker("worker").await;
    assert_eq!(named(&worker).await, [Predicate::ItemDue]);
    assert_eq!(worker.run(Job::Publish).await.items, []);
    let report = attempt(&worker).await;
    agrees(&report, Outcome::NotDue, Predicate::ItemDue);
    let told = detail(&worker).await;
    assert_eq!(
        (report.detail, told.as_str()),
        (Some(told.clone()), "the answer is due at 2026-11-03T00:10:00Z")
    );
}

#[tokio::test]
async fn a_photo_that_is_not_there_is_named_alone_and_so_is_one_that_cannot_be_had() {
    let world = World::with_finished(1).await;
    let message = "it answered 500".to_owned();
    world.images.set(url(1), Err(FetchFailure { kind: FailureKind::Passing, message }));
    let worker = world.worker("worker").await;
    assert_eq!(named(&worker).await, [Predicate::ImageReady]);
    assert!(detail(&worker).await.contains("not stored yet"));
    let logged = Warnings::of_field("blocked_by");
    let listening = logged.listen();
    agrees(&run(&worker).await, Outcome::Blocked, Predicate::ImageReady);
    drop(listening);
    assert_eq!(logged.take(), ["image_ready"], "the log says it in the same word");

    assert_eq!(named(&worker).await, [Predicate::ImageReady], "it rests, which is no predicate");
    assert_eq!(detail(&worker).await, "the photo could not be had: it answered 500");
    let item = worker.site.item(id(1)).await.unwrap().item.unwrap();
    assert!(item.next_attempt_at > world.clock.now());
    let report = attempt(&worker).await;
    assert_eq!((report.outcome, report.blocked_by), (Outcome::NotDue, vec![]));
    assert!(report.detail.unwrap().contains("waits for its next attempt until"));
}

#[tokio::test]
async fn a_quota_that_is_used_up_is_named_alone() {
    let world = world().await;
    let worker = world.worker_with("worker", Settings { daily_quota: 0, ..Settings::default() }).await;
    assert_eq!(named(&worker).await, [Predicate::QuotaLeft]);
    let (listed, attempted) = (run(&worker).await, attempt(&worker).await);
    for report in [listed, attempted] {
        agrees(&report, Outcome::QuotaExhausted, Predicate::QuotaLeft);
        assert_eq!(report.detail, Some(detail(&worker).await));
    }
}

#[tokio::test]
async fn a_pause_is_named_alone() {
    let world = world().await;
    let worker = world.worker("worker").await;
    worker.site.set_paused(&editor(), true).await.unwrap();
    assert_eq!(named(&worker).await, [Predicate::NotPaused]);
    let (listed, attempted) = (run(&worker).await, attempt(&worker).await);
    for report in [listed, attempted] {
        agrees(&report, Outcome::Paused, Predicate::NotPaused);
        assert_eq!(report.detail, Some(detail(&worker).await));
    }
}

#[tokio::test]
async fn a_pause_and_a_used_up_quota_are_both_named_and_the_pause_is_told() {
    let world = world().await;
    let worker = world.worker_with("worker", Settings { daily_quota: 0, ..Settings::default() }).await;
    worker.site.set_paused(&editor(), true).await.unwrap();
    let both = [Predicate::QuotaLeft, Predicate::NotPaused];
    assert_eq!(named(&worker).await, both);
    let (listed, attempted) = (run(&worker).await, attempt(&worker).await);
    for report in [listed, attempted] {
        assert_eq!((report.outcome, report.blocked_by.as_slice()), (Outcome::Paused, &both[..]));
        assert_eq!(report.detail.as_deref(), Some("the site is paused"));
    }
}

#[tokio::test]
async fn what_changes_right_before_a_commit_is_named_by_the_commit() {
    use Predicate::{BankVersion, ContentVersion, ItemState, LeaseFence, LeaseLive, LeaseOwner};

    let key = || LeaseKey::Publication(id(1));

    // Its own lease ran out, and was claimed again under the same name.
    let world = self::world().await;
    let worker = world.worker("worker").await;
    let (store, clock) = (world.store().await, world.clock.clone());
    worker.store.before("commit", async move {
        clock.advance(LEASE_MS);
        store.claim(key(), &OwnerId::new("job"), LEASE_MS).await.unwrap();
    });
    agrees(&attempt(&worker).await, Outcome::LeaseLost, LeaseFence);

    // It ran out, and nobody wanted it.
    let world = self::world().await;
    let worker = world.worker("worker").await;
    let clock = world.clock.clone();
    worker.store.before("commit", async move {
        clock.advance(LEASE_MS);
    });
    agrees(&attempt(&worker).await, Outcome::LeaseLost, LeaseLive);

    // The puzzle was edited, which takes the item out of hand, and it was taken again.
    let world = self::world().await;
    let worker = world.worker("worker").await;
    let store = world.store().await;
    let edit = ImportRow { image_url: None, price_cents: 777, ..row(1) };
    let keeper = world.worker("keeper").await;
    worker.store.before("commit", async move {
        let file = ImportFile { puzzles: vec![edit] };
        keeper.site.import(&editor(), file).await.unwrap();
        let begin = Begin { puzzle_id: id(1), owner: OwnerId::new("job"), ttl_ms: LEASE_MS, by_hand: false };
        PublicationLedger::begin(&store, &begin).await.unwrap();
    });
    agrees(&attempt(&worker).await, Outcome::Conflict, BankVersion);

    // Another worker took over and published, which leaves nothing as it was seen.
    let world = self::world().await;
    let (worker, other) = (world.worker("worker").await, world.worker("other").await);
    let clock = world.clock.clone();
    worker.store.before("commit", async move {
        clock.advance(LEASE_MS);
        assert_eq!(attempt_as(&other, "other").await.outcome, Outcome::Published);
    });
    let report = attempt(&worker).await;
    let all = [LeaseOwner, LeaseFence, LeaseLive, ContentVersion, ItemState];
    assert_eq!((report.outcome, report.blocked_by.as_slice()), (Outcome::LeaseLost, &all[..]));
}
