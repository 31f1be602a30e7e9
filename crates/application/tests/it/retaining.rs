//! What is old is forgotten by the runs themselves, and nothing happens a second time for it.

use fencepost_application::Settings;
use fencepost_domain::time::DAY_MS;
use fencepost_ports::Job;

use crate::world::World;

const HOUR_MS: i64 = 3_600_000;

/// Hourly runs for a day.
async fn a_day(world: &World, settings: &Settings, name: &str) {
    let worker = world.worker_with(name, settings.clone()).await;
    for _ in 0..24 {
        let report = worker.run(Job::Compensate).await;
        assert!(report.items.is_empty(), "{report:?}");
        world.clock.advance(HOUR_MS);
    }
}

#[tokio::test]
async fn the_log_of_runs_grows_no_more_and_nothing_is_published_again() {
    let world = World::with_finished(3).await;
    let settings = Settings { keep_days: 2, ..Settings::default() };
    let first = world.worker_with("first", settings.clone()).await;
    assert_eq!(first.run(Job::Publish).await.counts.values().sum::<u32>(), 3);
    let (public, receipts) = (world.public_state().await, world.count("commit_receipts").await);

    let mut counts = Vec::new();
    for day in 0..8 {
        a_day(&world, &settings, &format!("day-{day}-")).await;
        counts.push(world.count("job_runs").await);
    }
    // Runs have their turn every third hour.
    assert!(counts[3..].iter().all(|count| (48..=48 + 2 + 3).contains(count)), "{counts:?}");
    assert_eq!(world.rows("SELECT count(*) FROM job_runs WHERE job = 'publish'").await, ["count(*)=1"]);

    // Yesterday's cron is fired once more, by somebody who was not told that it has been.
    let late = world.worker_with("late", settings).await;
    let report = late.run(Job::Publish).await;
    assert!(report.items.is_empty() && report.left == 0, "{report:?}");
    assert_eq!((world.public_state().await, world.count("commit_receipts").await), (public, receipts));
    late.assert_sound().await;
}

#[tokio::test]
async fn what_is_kept_for_ever_is_not_forgotten() {
    let world = World::new().await;
    let settings = Settings { keep_days: 0, ..Settings::default() };
    a_day(&world, &settings, "idle").await;
    world.clock.advance(500 * DAY_MS);
    let before = world.count("job_runs").await;
    a_day(&world, &settings, "later").await;
    assert_eq!(world.count("job_runs").await, before + 24);
}
