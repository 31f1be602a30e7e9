//! Dry runs: what they tell, what they cost, and that they leave everything as it is.

use crate::world::editor;
use fencepost_application::{Settings, Stop, cost};
use fencepost_domain::{
    guard::Predicate,
    outcome::Outcome,
    puzzle::ImportRow,
    time::{DAY_MS, UnixMillis},
};
use fencepost_ports::{Budget, Job, StoreErrorKind};

use crate::{
    intercepted::Fate,
    world::{Worker, World, due, id, row, url},
};

/// So many items without a photo, all of them due.
async fn finished(days: i64) -> World {
    let world = World::new().await;
    world.import((1..=days).map(|n| ImportRow { image_url: None, ..row(n) })).await;
    world.clock.set(due(days));
    world
}

async fn rehearse(world: &World, worker: &Worker) -> fencepost_application::DryRunReport {
    let before = world.everything().await;
    let report = worker.site.rehearse_job(Job::Publish, &Stop::default()).await.unwrap();
    assert_eq!(world.everything().await, before, "a dry run has changed something");
    assert_eq!(report.counts.values().sum::<u32>(), u32::try_from(report.items.len()).unwrap());
    report
}

#[tokio::test]
async fn a_dry_run_counts_revisions_and_the_quota_on_and_leaves_no_trace() {
    let world = finished(4).await;
    let worker = world.worker_with("worker", Settings { daily_quota: 3, ..Settings::default() }).await;
    let report = rehearse(&world, &worker).await;
    let told: Vec<_> = report
        .items
        .iter()
        .map(|item| (item.outcome, item.content_version.map(|it| it.get()), item.revision.map(|it| it.get())))
        .collect();
    let published = |revision| (Outcome::Published, Some(1), Some(revision));
    assert_eq!(told, [published(1), published(2), published(3), (Outcome::QuotaExhausted, None, None)]);
    assert_eq!(report.items[3].blocked_by, [Predicate::QuotaLeft]);
    assert_eq!((report.dry_run, report.revision.get(), report.interrupted), (true, 3, true));
    assert_eq!((report.started_at, report.finished_at), (due(4), due(4)));
    assert_eq!(world.count("job_runs").await, 0, "a dry run is no heartbeat");
    assert_eq!(world.count("job_leases").await, 0);
    assert_eq!(
        rehearse(&world, &worker).await.items,
        report.items,
        "the next one finds everything as it was"
    );
}

#[tokio::test]
async fn a_photo_that_is_missing_is_not_fetched_and_its_address_is_told() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    let report = rehearse(&world, &worker).await;
    let item = &report.items[0];
    assert_eq!((item.outcome, item.blocked_by.as_slice()), (Outcome::Conflict, &[Predicate::ImageReady][..]));
    let detail = item.detail.as_deref().unwrap();
    assert!(detail.contains("would fetch it first") && detail.contains(&url(1)), "{detail}");
    assert_eq!((world.images.total_fetches(), world.blobs.keys().len()), (0, 0));
    assert_eq!(report.revision.get(), 0);
}

#[tokio::test]
async fn a_standstill_is_told_before_a_photo_is_missed() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    // The pause falls between the list and the item.
    let other = world.worker("other").await;
    worker.store.before("look", async move { other.site.set_paused(&editor(), true).await.unwrap() });
    let report = worker.site.rehearse_job(Job::Publish, &Stop::default()).await.unwrap();
    assert_eq!(report.items[0].outcome, Outcome::Paused);
    assert_eq!(report.items[0].blocked_by, [Predicate::NotPaused]);
}

#[tokio::test]
async fn a_quota_counts_on_its_own_day_only() {
    let world = finished(2).await;
    let worker = world.worker_with("worker", Settings { daily_quota: 1, ..Settings::default() }).await;
    let clock = world.clock.clone();
    let looked = std::sync::atomic::AtomicUsize::new(0);
    // Midnight passes after the first item.
    worker.store.decide(move |call, _| {
        if call == "look" && looked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 1 {
            clock.advance(DAY_MS);
        }
        Fate::Answered
    });
    let report = worker.site.rehearse_job(Job::Publish, &Stop::default()).await.unwrap();
    let outcomes: Vec<_> = report.items.iter().map(|item| item.outcome).collect();
    assert_eq!((outcomes, report.revision.get()), (vec![Outcome::Published; 2], 2));
}

#[tokio::test]
async fn an_edit_between_look_and_rehearsal_is_found_by_the_guard() {
    let world = finished(1).await;
    let worker = world.worker("worker").await;
    let keeper = world.worker("keeper").await;
    worker.store.before("rehearse", async move {
        let edit = ImportRow { image_url: None, price_cents: 777, ..row(1) };
        let file = fencepost_domain::puzzle::ImportFile { puzzles: vec![edit] };
        keeper.site.import(&editor(), file).await.unwrap();
    });
    let report = worker.site.rehearse_job(Job::Publish, &Stop::default()).await.unwrap();
    assert_eq!(report.items[0].outcome, Outcome::Conflict);
    assert_eq!(report.items[0].blocked_by, [Predicate::BankVersion]);
}

#[tokio::test]
async fn a_dry_run_survives_lost_calls_and_tells_of_a_store_that_stays_silent() {
    for fate in [Fate::RequestLost, Fate::AnswerLost, Fate::Busy] {
        let world = finished(1).await;
        let worker = world.worker("worker").await;
        worker.store.decide(move |_, number| if number % 2 == 0 { fate } else { Fate::Answered });
        assert_eq!(rehearse(&world, &worker).await.items[0].outcome, Outcome::Published, "{fate:?}");
        worker.store.decide(move |call, _| if call == "rehearse" { fate } else { Fate::Answered });
        assert_eq!(rehearse(&world, &worker).await.items[0].outcome, Outcome::Unknown, "{fate:?}");
    }
}

#[tokio::test]
async fn a_dry_run_costs_what_is_reckoned_with_and_stops_in_time() {
    let world = finished(9).await;
    let invocation = world.invocation("worker", Budget::of(50)).await;
    let report = invocation.site.rehearse_job(Job::Publish, &Stop::default()).await.unwrap();
    let calls = [
        ("revision_source/moment", 1),
        ("publication_ledger/runnable_items", cost::LIST),
        ("publication_ledger/preflight", cost::LOOK),
        ("rehearsal/raise", cost::REHEARSE - 1),
        ("publication_ledger/preflight", cost::LOOK),
        ("rehearsal/raise", cost::REHEARSE),
        ("publication_ledger/preflight", cost::LOOK),
        ("rehearsal/raise", cost::REHEARSE),
        ("publication_ledger/preflight", cost::LOOK),
        ("rehearsal/raise", cost::REHEARSE),
        ("revision_source/moment", cost::CLOSING_DRY),
    ];
    assert_eq!(invocation.calls(), calls);
    assert_eq!((report.items.len(), report.interrupted), (4, true));
    let budget = report.budget.unwrap();
    assert_eq!((budget.spent, invocation.sent(), invocation.site.budget.spent()), (46, 46, 46));
    assert_eq!(world.count("answer_posts").await, 0);
}

#[tokio::test]
async fn a_dry_run_that_is_asked_to_stop_stops() {
    let world = finished(2).await;
    let worker = world.worker("worker").await;
    let stop = Stop::default();
    stop.request();
    let report = worker.site.rehearse_job(Job::Compensate, &stop).await.unwrap();
    assert_eq!((report.items, report.interrupted, report.job), (vec![], true, Job::Compensate));
}

#[tokio::test]
async fn a_store_that_keeps_what_was_only_to_be_tried_ends_the_dry_run_loudly() {
    let world = finished(3).await;
    let worker = world.worker("worker").await;
    worker.store.decide(|call, _| if call == "rehearse" { Fate::Kept } else { Fate::Answered });
    let error = worker.site.rehearse_job(Job::Publish, &Stop::default()).await.unwrap_err();
    assert_eq!((error.kind(), error.may_have_written()), (StoreErrorKind::NotUndone, true));
    let tried = worker.store.calls().into_iter().filter(|call| *call == "rehearse").count();
    assert_eq!(tried, 1, "neither this item nor another one is tried after that");
}

#[tokio::test]
async fn an_item_that_was_taken_in_hand_after_the_list_is_told_as_held() {
    let world = finished(1).await;
    let (worker, other) = (world.worker("worker").await, world.store().await);
    worker.store.before("look", async move {
        let key = fencepost_domain::lease::LeaseKey::Publication(id(1));
        let owner = fencepost_domain::id::OwnerId::new("other");
        fencepost_ports::LeaseStore::claim(&other, key, &owner, 1_000).await.unwrap();
    });
    let report = worker.site.rehearse_job(Job::Publish, &Stop::default()).await.unwrap();
    let item = &report.items[0];
    assert_eq!(
        (item.outcome, item.blocked_by.as_slice()),
        (Outcome::LeaseHeld, &[Predicate::LeaseOwner][..])
    );
    assert!(
        UnixMillis::new(0) < report.started_at && item.detail.as_deref().unwrap().starts_with("other holds")
    );
}
