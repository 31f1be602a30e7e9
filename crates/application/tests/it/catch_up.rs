//! After a long time without any run.

use fencepost_application::{Settings, Stop};
use fencepost_domain::{outcome::Outcome, time::DAY_MS};
use fencepost_ports::Job;

use crate::world::{World, outcomes, row};

#[tokio::test]
async fn four_hundred_days_are_caught_up_oldest_first_within_the_quota() {
    let world = World::new().await;
    world.import((1..=400).map(|n| fencepost_domain::puzzle::ImportRow { image_url: None, ..row(n) })).await;
    world.clock.set(crate::world::due(400));
    let settings = || Settings { daily_quota: 50, ..Settings::default() };

    let mut published = 0;
    for day in 1..=8 {
        // A run is cut short, another goes on where it stopped, a third finds the quota used up.
        let worker = world.worker_with(&format!("day-{day}-"), settings()).await;
        let stop = Stop::default();
        let early = stop.clone();
        let mut commits = 0;
        worker.store.decide(move |name, _| {
            commits += usize::from(name == "commit");
            if commits == 20 {
                early.request();
            }
            crate::intercepted::Fate::Answered
        });
        let first = worker.site.run_job(Job::Publish, &stop).await.unwrap();
        assert_eq!((first.counts[&Outcome::Published], first.interrupted), (20, true), "day {day}");

        let rest = worker.run(Job::Compensate).await;
        assert_eq!(rest.counts[&Outcome::Published], 30, "day {day}");
        published += 50;
        let out = world.rows("SELECT count(*) AS n, max(puzzle_id) AS newest FROM answer_posts").await;
        assert_eq!(out, [format!("n={published} newest={published}")], "oldest first, day {day}");

        let none = worker.run(Job::Compensate).await;
        let expected: &[Outcome] = if published < 400 { &[Outcome::QuotaExhausted] } else { &[] };
        assert_eq!(outcomes(&none), expected, "day {day}");
        assert_eq!(none.interrupted, published < 400);
        worker.assert_sound().await;
        world.clock.advance(DAY_MS);
    }
    let quotas = world.rows("SELECT DISTINCT published, quota FROM daily_quotas").await;
    assert_eq!(quotas, ["published=50 quota=50"]);
    assert_eq!(world.count("daily_quotas").await, 8);
}
