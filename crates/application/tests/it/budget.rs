//! Runs that may not make as many calls as there is work.

use fencepost_application::{RunReport, cost};
use fencepost_domain::{outcome::Outcome, puzzle::ImportRow};
use fencepost_ports::{Budget, StoreErrorKind};

use crate::{
    warnings::Warnings,
    world::{World, due, id, opens, outcomes, photo, row, url},
};

/// What Cloudflare's free plan allows.
const FREE: u32 = 50;
const ITEMS: i64 = 40;

fn bare(n: i64) -> ImportRow {
    ImportRow { image_url: None, ..row(n) }
}

async fn world_of(rows: impl IntoIterator<Item = ImportRow>) -> World {
    let world = World::new().await;
    world.import(rows).await;
    world.clock.set(due(ITEMS));
    world
}

/// How a run stands: what it spent, published, and left.
fn sum(report: &RunReport) -> (u32, u32, i64) {
    let published = report.counts.get(&Outcome::Published).copied().unwrap_or(0);
    (report.budget.expect("calls are limited").spent, published, report.left)
}

/// Runs until nothing is left. Returns how each run stood.
async fn exhaust(world: &World, limit: u32) -> Vec<(u32, u32, i64)> {
    let mut runs = Vec::new();
    loop {
        let invocation = world.invocation(&format!("run-{}-", runs.len()), Budget::of(limit)).await;
        let report = invocation.run().await.unwrap();
        let (spent, published, left) = sum(&report);
        assert!(spent <= limit && published > 0, "{report:?}");
        assert_eq!(report.interrupted, left > 0, "{report:?}");
        assert_eq!(report.items.len(), published as usize, "what is left is not begun: {report:?}");
        world.assert_nothing_in_hand(&format!("{report:?}")).await;
        runs.push((spent, published, left));
        if left == 0 {
            return runs;
        }
    }
}

#[tokio::test]
async fn forty_pages_come_out_in_runs_of_four_under_the_free_plan() {
    let world = world_of((1..=ITEMS).map(bare)).await;
    let runs = exhaust(&world, FREE).await;
    let spent = cost::START_RUN + cost::LIST + 4 * cost::ITEM + cost::FINISH_RUN + cost::PRUNE;
    let expected: Vec<_> = (1..=10).map(|run| (spent, 4, ITEMS - 4 * run)).collect();
    assert_eq!(runs, expected);
    world.assert_all_published_once(ITEMS, "at the end").await;
}

#[tokio::test]
async fn forty_pages_with_photos_to_fetch_come_out_in_runs_of_two() {
    let world = world_of((1..=ITEMS).map(row)).await;
    let runs = exhaust(&world, FREE).await;
    let left: Vec<_> = runs.iter().map(|(_, _, left)| *left).collect();
    assert_eq!(left, (0..20).map(|run| ITEMS - 2 - 2 * run).collect::<Vec<_>>());
    world.assert_all_published_once(ITEMS, "at the end").await;
    assert_eq!(world.images.total_fetches(), 40, "each was fetched once");
}

#[tokio::test]
async fn the_paid_plan_needs_one_run() {
    let world = world_of((1..=ITEMS).map(row)).await;
    let runs = exhaust(&world, 1_000).await;
    assert_eq!(runs.len(), 1);
    world.assert_all_published_once(ITEMS, "at the end").await;
}

#[tokio::test]
async fn the_smallest_budget_that_is_allowed_publishes_what_is_hardest_to_publish() {
    let photos = |n| format!("{}?redirects={}", url(n), cost::LONGEST_FETCH - 1);
    let world = world_of((1..=3).map(|n| ImportRow { image_url: Some(photos(n)), ..row(n) })).await;
    // One photo is stored already, which costs a call to find out.
    world.images.set(photos(2), Ok(photo(&photos(1))));
    assert_eq!(exhaust(&world, cost::LEAST_BUDGET).await.len(), 3);
    world.assert_all_published_once(3, "at the end").await;
}

#[tokio::test]
async fn what_is_ready_comes_out_before_what_would_cost_more() {
    let world = world_of([row(1), bare(2), bare(3)]).await;
    let budget = cost::START_RUN + cost::LIST + 2 * cost::ITEM + cost::CLOSING;
    let report = world.invocation("frugal", Budget::of(budget)).await.run().await.unwrap();
    let published: Vec<_> = report.items.iter().map(|item| item.puzzle_id).collect();
    assert_eq!((published, report.left), (vec![id(2), id(3)], 1));
}

#[tokio::test]
async fn a_budget_for_no_item_at_all_is_told_and_changes_nothing() {
    let world = world_of([bare(1), bare(2)]).await;
    let before = world.tables().await;
    let warnings = Warnings::default();
    let _listening = warnings.listen();
    for budget in [cost::START_RUN + cost::LIST + cost::ITEM + cost::CLOSING - 1, 9] {
        let report = world.invocation("tiny", Budget::of(budget)).await.run().await.unwrap();
        assert_eq!(warnings.take(), ["the budget does not suffice for a single item; raise it"]);
        assert_eq!((outcomes(&report), report.interrupted, report.left), (vec![], true, 2));
        assert_eq!(world.tables().await, before);
        world.assert_nothing_in_hand("tiny").await;
    }
    let enough = cost::START_RUN + cost::LIST + cost::ITEM + cost::CLOSING;
    world.invocation("enough", Budget::of(enough)).await.run().await.unwrap();
    assert_eq!(warnings.take(), [""; 0], "what does suffice for one is no trouble");
    let before = world.tables().await;
    let error = world.invocation("nothing", Budget::of(1)).await.run().await.unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::OverBudget);
    assert_eq!(world.tables().await, before);
}

#[tokio::test]
async fn photos_of_coming_puzzles_take_what_pages_leave_and_no_more() {
    let world = World::new().await;
    world.import([row(1), row(2)]).await;
    // One is open, the other opens within two hours.
    world.clock.set(opens(2).plus(-1));
    let around = cost::START_RUN + cost::LIST + cost::CLOSING;
    for (budget, prepared) in [
        (around + cost::LOOK_FOR_PHOTOS + cost::PHOTO - 1, 0),
        (around + cost::LOOK_FOR_PHOTOS + cost::PHOTO, 1),
        (FREE, 1),
    ] {
        let report = world.invocation(&format!("{budget}-"), Budget::of(budget)).await.run().await.unwrap();
        assert_eq!((report.images.prepared, report.images.failed), (prepared, 0), "{budget} calls");
        assert_eq!((report.interrupted, report.left), (false, 0), "no page waits for that");
    }
    assert_eq!(world.images.total_fetches(), 2);
}

#[tokio::test]
async fn a_photo_behind_more_redirects_than_can_be_followed_just_now_is_no_failure() {
    let far = |n| ImportRow { image_url: Some(format!("{}?redirects=3", url(n))), ..row(n) };
    let world = world_of([far(1), far(2)]).await;
    let budget = cost::START_RUN + cost::LIST + 2 * cost::ITEM_WITH_PHOTO + cost::CLOSING + 1;
    let first = world.invocation("first", Budget::of(budget)).await;
    let report = first.run().await.unwrap();
    assert_eq!((outcomes(&report), report.interrupted, report.left), (vec![Outcome::Published], true, 1));
    assert!(first.calls().iter().filter(|(name, _)| *name == "fetch").count() > 4, "the second was begun");
    let item = "SELECT state, attempts, next_attempt_at FROM publication_items WHERE puzzle_id = 2";
    assert_eq!(world.rows(item).await, ["state=scheduled attempts=0 next_attempt_at=0"]);
    assert_eq!(world.count("source_images").await, 1, "nothing is recorded of its photo");
    let live = "SELECT key FROM job_leases WHERE expires_at > 0";
    assert_eq!(world.rows(live).await, [""; 0], "neither item nor photo is in hand");

    let second = world.invocation("second", Budget::of(budget)).await.run().await.unwrap();
    assert_eq!((outcomes(&second), second.left), (vec![Outcome::Published], 0));
    world.assert_all_published_once(2, "at the end").await;
}

#[tokio::test]
async fn photos_that_cannot_all_be_looked_up_leave_the_check_undone() {
    let world = world_of((1..=4).map(row)).await;
    world.invocation("worker", Budget::unlimited()).await.run().await.unwrap();
    let all = world.invocation("all", Budget::unlimited()).await;
    assert_eq!(all.site.verify().await, Ok(Vec::new()));
    let some = world.invocation("some", Budget::of(all.sent() - 3)).await;
    assert_eq!(some.site.verify().await.map_err(|error| error.kind()), Err(StoreErrorKind::OverBudget));
}
