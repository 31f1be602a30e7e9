//! What a person is told when the work stops, and when it goes on.
//!
//! The crons are the test: it fires them, hour by hour, and lets them be.

use fencepost_domain::{
    alert::{AlertKind, PATIENCE_MS, Severity},
    resolution::Resolution,
    time::{DAY_MS, UnixMillis},
};
use fencepost_ports::Job;

use crate::world::{Worker, World, due, editor, row};

const HOUR_MS: i64 = 3_600_000;

async fn told(worker: &Worker) -> Vec<(AlertKind, Option<Job>, Option<UnixMillis>, i64)> {
    let overview = worker.site.status().await.unwrap();
    let alerts = worker.site.alerts(&overview);
    alerts.into_iter().map(|alert| (alert.kind, alert.job, alert.since, alert.count)).collect()
}

/// Fires the crons of one day, of which the first brings its answer out.
async fn fire_for_a_day(world: &World, worker: &Worker, day: i64) {
    world.clock.set(due(day));
    worker.run(Job::Publish).await;
    for hour in 0..24 {
        world.clock.set(due(day).plus(hour * HOUR_MS + 900_000));
        worker.run(Job::Compensate).await;
        assert_eq!(told(worker).await, [], "day {day}, hour {hour}");
    }
}

#[tokio::test]
async fn a_worker_that_stops_is_noticed_after_two_intervals_and_forgiven_after_the_next_run() {
    let world = World::new().await;
    let worker = world.worker("worker").await;
    world.import((1..=9).map(row)).await;
    assert_eq!(
        told(&worker).await,
        [(AlertKind::NoHeartbeat, None, Some(world.clock.now()), 1)],
        "nothing ever ran, and there is something to publish"
    );
    worker.run(Job::Compensate).await;
    assert_eq!(told(&worker).await, [], "the site is young, and gives a sign of life");
    for day in [1, 2] {
        fire_for_a_day(&world, &worker, day).await;
    }

    // From here on no cron fires.
    let ended = |job: Job| match job {
        Job::Publish => due(2),
        Job::Compensate => due(2).plus(23 * HOUR_MS + 900_000),
    };
    let silent = |job: Job| (AlertKind::NoHeartbeat, Some(job), Some(ended(job)), 1);
    let late = |day: i64, count: i64| (AlertKind::Overdue, None, Some(due(day)), count);
    let at = async |now: UnixMillis, expected: &[_]| {
        world.clock.set(now);
        assert_eq!(told(&worker).await, expected, "at {now}");
    };
    at(due(3), &[]).await;
    at(due(3).plus(PATIENCE_MS), &[]).await;
    at(due(3).plus(PATIENCE_MS + 1), &[late(3, 1)]).await;
    at(ended(Job::Compensate).plus(2 * HOUR_MS), &[late(3, 1)]).await;
    at(ended(Job::Compensate).plus(2 * HOUR_MS + 1), &[late(3, 1), silent(Job::Compensate)]).await;
    let two_days = due(2).plus(2 * DAY_MS + 1_200_000);
    at(two_days, &[late(3, 2), silent(Job::Compensate)]).await;
    at(two_days.plus(1), &[late(3, 2), silent(Job::Publish), silent(Job::Compensate)]).await;

    // One run of each, and all is well again.
    worker.run(Job::Compensate).await;
    assert_eq!(told(&worker).await, [silent(Job::Publish)], "what was late is out");
    worker.run(Job::Publish).await;
    assert_eq!(told(&worker).await, []);
}

#[tokio::test]
async fn a_run_that_was_killed_is_no_sign_of_life() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    worker.run(Job::Compensate).await;
    let ended = world.clock.now();
    world.clock.advance(2 * HOUR_MS + 1);
    worker.run(Job::Compensate).await;
    world.execute("UPDATE job_runs SET finished_at = NULL WHERE started_at > (SELECT min(started_at) FROM job_runs)").await;
    assert_eq!(told(&worker).await, [(AlertKind::NoHeartbeat, Some(Job::Compensate), Some(ended), 1)]);
}

#[tokio::test]
async fn a_pause_is_a_notice_until_it_keeps_an_answer_back() {
    let world = World::new().await;
    let worker = world.worker("worker").await;
    world.import([row(1)]).await;
    worker.run(Job::Compensate).await;
    worker.site.set_paused(&editor(), true).await.unwrap();
    assert_eq!(told(&worker).await, [(AlertKind::Paused, None, None, 1)]);
    world.clock.set(due(1));
    worker.run(Job::Publish).await;
    worker.run(Job::Compensate).await;
    world.clock.advance(PATIENCE_MS + 1);
    let alerts = worker.site.alerts(&worker.site.status().await.unwrap());
    let severities: Vec<_> = alerts.iter().map(|alert| (alert.kind, alert.severity)).collect();
    assert_eq!(severities, [(AlertKind::Overdue, Severity::Alert), (AlertKind::Paused, Severity::Notice)]);
    assert!(alerts[0].remedy.contains("resume"), "{alerts:?}");
}

#[tokio::test]
async fn what_a_process_counted_is_told_by_that_process() {
    let world = World::new().await;
    let (one, other) = (world.worker("one").await, world.worker("other").await);
    one.site.resolutions.count(Resolution::Unknown);
    one.site.resolutions.count(Resolution::NotSeen);
    assert_eq!(told(&one).await, [(AlertKind::CommitsUnknown, None, None, 1)]);
    assert_eq!(told(&other).await, []);
}
