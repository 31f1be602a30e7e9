//! Jobs: side by side, again and again, and one bad item among good ones.

use crate::world::editor;
use fencepost_application::Expected;
use fencepost_domain::outcome::Outcome;
use fencepost_ports::Job;

use crate::world::{World, id, outcomes};

#[tokio::test]
async fn publishing_an_item_costs_two_round_trips() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    // Its photo is ready, as it is when the puzzle was open for a day.
    worker.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    worker.site.reinstate(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    world.clock.set(crate::world::opens(1));
    worker.run(Job::Compensate).await;
    world.clock.set(crate::world::due(1));
    let before = worker.store.calls().len();
    worker.run(Job::Publish).await;
    let calls = worker.store.calls().split_off(before);
    assert_eq!(calls, ["start_run", "runnable", "begin", "commit", "unprepared", "finish_run"]);
}

#[tokio::test]
async fn many_workers_at_once_publish_each_page_once() {
    let world = World::with_finished(6).await;
    let mut runs = tokio::task::JoinSet::new();
    for n in 0..8 {
        let worker = world.worker(&format!("worker-{n}-")).await;
        runs.spawn(async move { worker.run(Job::Publish).await });
    }
    let reports = runs.join_all().await;
    let published =
        reports.iter().flat_map(outcomes).filter(|outcome| *outcome == Outcome::Published).count();
    assert_eq!(published, 6);
    let receipts =
        world.rows("SELECT revision, content_version FROM commit_receipts ORDER BY revision").await;
    let expected: Vec<_> = (1..=6).map(|revision| format!("revision={revision} content_version=1")).collect();
    assert_eq!(receipts, expected);
    assert_eq!(world.images.total_fetches(), 6);
}

#[tokio::test]
async fn another_run_changes_nothing() {
    let world = World::with_finished(6).await;
    let worker = world.worker("worker").await;
    worker.run(Job::Publish).await;
    let before = world.tables().await;
    let report = worker.run(Job::Compensate).await;
    assert_eq!((outcomes(&report), report.revision.get()), (vec![], 6));
    assert_eq!(world.tables().await, before);
}

#[tokio::test]
async fn a_row_that_cannot_be_keeps_no_other_item_waiting() {
    let world = World::with_finished(3).await;
    world.execute("UPDATE puzzles SET play_date = 'yesterday' WHERE puzzle_id = 2").await;
    let worker = world.worker("worker").await;
    let report = worker.run(Job::Publish).await;
    assert_eq!(outcomes(&report), [Outcome::Published, Outcome::Blocked, Outcome::Published]);
    let detail = report.items[1].detail.as_deref().unwrap();
    assert!(detail.contains("play_date") && detail.contains("yesterday"), "{detail}");
    let item = "SELECT state, attempts FROM publication_items WHERE puzzle_id = 2";
    assert_eq!(world.rows(item).await, ["state=blocked attempts=1"], "it is not tried for ever");
    let lease = world.rows("SELECT expires_at FROM job_leases WHERE key = 'publication:2'").await;
    assert_eq!(lease, ["expires_at=0"]);

    world.execute("UPDATE puzzles SET play_date = '2026-11-03' WHERE puzzle_id = 2").await;
    assert_eq!(
        worker.site.republish(&editor(), id(2), Expected::ANYTHING).await.unwrap().outcome,
        Outcome::Published
    );
    worker.assert_sound().await;
}

#[tokio::test]
async fn a_commit_that_the_store_refuses_for_good_is_counted_and_given_back() {
    let world = World::with_finished(2).await;
    let forbid = "CREATE TRIGGER forbid BEFORE INSERT ON commit_receipts WHEN new.puzzle_id = 1
        BEGIN SELECT RAISE(ABORT, 'no receipt for puzzle 1'); END";
    world.execute(forbid).await;
    let worker = world.worker("worker").await;
    let report = worker.run(Job::Publish).await;
    assert_eq!(outcomes(&report), [Outcome::Blocked, Outcome::Published]);
    assert!(report.items[0].detail.as_deref().unwrap().contains("no receipt for puzzle 1"));
    let item = "SELECT state, attempts FROM publication_items WHERE puzzle_id = 1";
    assert_eq!(world.rows(item).await, ["state=scheduled attempts=1"]);
    while let Some(at) = worker.site.next_wake().await.unwrap().upcoming {
        world.clock.set(at);
        worker.run(Job::Compensate).await;
    }
    assert_eq!(world.rows(item).await, ["state=blocked attempts=10"], "it is not tried for ever");

    world.execute("DROP TRIGGER forbid").await;
    assert_eq!(
        worker.site.republish(&editor(), id(1), Expected::ANYTHING).await.unwrap().outcome,
        Outcome::Published
    );
    worker.assert_sound().await;
}

#[tokio::test]
async fn a_raised_quota_lets_more_out_on_the_same_day() {
    let world = World::with_finished(5).await;
    let settings = |daily_quota| fencepost_application::Settings { daily_quota, ..Default::default() };
    let frugal = world.worker_with("frugal", settings(2)).await;
    let report = frugal.run(Job::Publish).await;
    assert_eq!(report.counts[&Outcome::Published], 2);
    assert_eq!(frugal.site.next_wake().await.unwrap().first(), None, "a standstill is no work");
    let generous = world.worker_with("generous", settings(4)).await;
    assert!(generous.site.next_wake().await.unwrap().overdue.is_some());
    assert_eq!(generous.run(Job::Publish).await.counts[&Outcome::Published], 2);
    assert_eq!(world.rows("SELECT published, quota FROM daily_quotas").await, ["published=4 quota=4"]);

    let none = world.worker_with("none", settings(0)).await;
    world.clock.advance(fencepost_domain::time::DAY_MS);
    assert_eq!(none.site.next_wake().await.unwrap().first(), None, "a quota of nothing is a standstill too");
    let before = world.tables().await;
    none.run(Job::Publish).await;
    assert_eq!(world.tables().await, before);
}
