//! Jobs: side by side, again and again, and one bad item among good ones.

use fencepost_domain::outcome::Outcome;
use fencepost_ports::Job;

use crate::world::{World, id, outcomes};

#[tokio::test]
async fn publishing_an_item_costs_two_round_trips() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    // Its photo is ready, as it is when the puzzle was open for a day.
    worker.site.withdraw(id(1)).await.unwrap();
    worker.site.reinstate(id(1)).await.unwrap();
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
    assert_eq!(outcomes(&report), [Outcome::Published, Outcome::Unknown, Outcome::Published]);
    let detail = report.items[1].detail.as_deref().unwrap();
    assert!(detail.contains("play_date") && detail.contains("yesterday"), "{detail}");
}
