//! The verifier finds every kind of damage, planted by hand, and calls it by its name.

use fencepost_ports::{BlobStore, Job};

use crate::world::{World, id};

/// A site with a bit of everything: published, updated, withdrawn, blocked, scheduled.
async fn lively() -> World {
    let world = World::with_finished(5).await;
    let worker = world.worker("worker").await;
    worker.site.withdraw(id(4)).await.unwrap();
    worker.run(Job::Publish).await;
    worker.site.withdraw(id(2)).await.unwrap();
    world.import([fencepost_domain::puzzle::ImportRow { price_cents: 777, ..crate::world::row(3) }]).await;
    worker.site.republish(id(3)).await.unwrap();
    world.import([crate::world::row(6)]).await;
    worker.assert_sound().await;
    world
}

async fn check(damage: &str, expected: &[(&str, &str)]) {
    let world = lively().await;
    world
        .execute(&format!("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; {damage}"))
        .await;
    let worker = world.worker("verifier").await;
    let found = worker.site.verify().await.unwrap();
    let found: Vec<_> = found.iter().map(|it| (it.rule.as_str(), it.subject.as_str())).collect();
    assert_eq!(found, expected, "{damage}");
}

#[tokio::test]
async fn a_wrong_revision_is_found() {
    let gap = [("revisions_not_dense", "site")];
    check("UPDATE site_state SET publication_revision = publication_revision + 1", &gap).await;
    check("UPDATE site_state SET publication_revision = publication_revision - 1", &gap).await;
    check("UPDATE commit_receipts SET revision = 99 WHERE revision = 1", &gap).await;
}

#[tokio::test]
async fn a_missing_row_of_site_state_is_found() {
    check("DELETE FROM site_state", &[("site_state_missing", "site")]).await;
}

#[tokio::test]
async fn an_item_that_does_not_fit_its_page_is_found() {
    let unfit = |subject| [("item_does_not_fit_page", subject)];
    check("UPDATE publication_items SET state = 'published' WHERE puzzle_id = 6", &unfit("puzzle 6")).await;
    check("UPDATE publication_items SET state = 'scheduled' WHERE puzzle_id = 1", &unfit("puzzle 1")).await;
    check("UPDATE publication_items SET state = 'published' WHERE puzzle_id = 2", &unfit("puzzle 2")).await;
    check("UPDATE answer_posts SET withdrawn_at = 5 WHERE puzzle_id = 1", &unfit("puzzle 1")).await;
    check("UPDATE answer_posts SET withdrawn_at = NULL WHERE puzzle_id = 2", &unfit("puzzle 2")).await;
}

#[tokio::test]
async fn a_page_that_was_lost_is_found() {
    check(
        "DELETE FROM answer_posts WHERE puzzle_id = 1",
        &[("item_does_not_fit_page", "puzzle 1"), ("receipt_without_page", "puzzle 1")],
    )
    .await;
}

#[tokio::test]
async fn a_page_that_nobody_committed_is_found() {
    check(
        "INSERT INTO answer_posts SELECT 6, 1, 'forged', 1, play_date, name, price_cents, '', NULL, 0, 9e12, 9e12, NULL
         FROM puzzles WHERE puzzle_id = 6",
        &[("item_does_not_fit_page", "puzzle 6"), ("page_does_not_fit_receipts", "puzzle 6")],
    )
    .await;
    check(
        "UPDATE answer_posts SET commit_token = 'forged' WHERE puzzle_id = 1",
        &[("page_does_not_fit_receipts", "puzzle 1")],
    )
    .await;
    check(
        "UPDATE answer_posts SET content_version = 2 WHERE puzzle_id = 1",
        &[("page_does_not_fit_receipts", "puzzle 1")],
    )
    .await;
}

#[tokio::test]
async fn a_receipt_that_was_lost_is_found() {
    check(
        "DELETE FROM commit_receipts WHERE puzzle_id = 3 AND content_version = 1",
        &[
            ("page_does_not_fit_receipts", "puzzle 3"),
            ("quota_miscounted", "day 20764"),
            ("revisions_not_dense", "site"),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_page_published_twice_is_found() {
    check(
        "UPDATE commit_receipts SET kind = 'publish' WHERE puzzle_id = 3 AND content_version = 2;
         UPDATE daily_quotas SET published = published + 1",
        &[("published_not_once", "puzzle 3")],
    )
    .await;
}

#[tokio::test]
async fn a_fence_that_fell_is_found() {
    check(
        "UPDATE commit_receipts SET fence = 0 WHERE puzzle_id = 3 AND content_version = 2",
        &[("fence_fell", "puzzle 3")],
    )
    .await;
    check("UPDATE job_leases SET fence = 1 WHERE key = 'publication:3'", &[("lease_fence_fell", "puzzle 3")])
        .await;
    check("DELETE FROM job_leases WHERE key = 'publication:1'", &[("lease_fence_fell", "puzzle 1")]).await;
}

#[tokio::test]
async fn a_page_published_early_is_found() {
    check("UPDATE answer_posts SET published_at = 5 WHERE puzzle_id = 1", &[("published_early", "puzzle 1")])
        .await;
}

#[tokio::test]
async fn an_answer_due_during_play_is_found() {
    check(
        "INSERT INTO visibility_instants SELECT due_at - 1 FROM publication_items WHERE puzzle_id = 6;
         UPDATE publication_items SET due_at = due_at - 1 WHERE puzzle_id = 6",
        &[("due_before_end_of_play", "puzzle 6")],
    )
    .await;
}

#[tokio::test]
async fn an_instant_that_the_calendar_lacks_is_found() {
    for instant in [
        "SELECT opens_at FROM puzzles WHERE puzzle_id = 1",
        "SELECT playable_until FROM puzzles WHERE puzzle_id = 1",
    ] {
        let damage = format!("DELETE FROM visibility_instants WHERE instant = ({instant})");
        check(&damage, &[("instant_not_in_calendar", "puzzle 1")]).await;
    }
    let moved = "UPDATE publication_items SET due_at = due_at + 1 WHERE puzzle_id = 6";
    check(moved, &[("instant_not_in_calendar", "puzzle 6")]).await;
}

#[tokio::test]
async fn a_puzzle_that_would_never_be_published_is_found() {
    check("DELETE FROM publication_items WHERE puzzle_id = 6", &[("puzzle_without_item", "puzzle 6")]).await;
    check(
        "DELETE FROM publication_items WHERE puzzle_id = 1",
        &[("page_without_item", "puzzle 1"), ("puzzle_without_item", "puzzle 1")],
    )
    .await;
}

#[tokio::test]
async fn a_quota_that_miscounts_is_found() {
    let miscounted = [("quota_miscounted", "day 20764")];
    check("UPDATE daily_quotas SET published = published + 1", &miscounted).await;
    check("DELETE FROM daily_quotas", &miscounted).await;
    check("INSERT INTO daily_quotas VALUES (1, 1, 1)", &[("quota_miscounted", "day 1")]).await;
}

#[tokio::test]
async fn an_index_flag_at_odds_with_the_photo_is_found() {
    check(
        "UPDATE answer_posts SET indexable = 0 WHERE puzzle_id = 1",
        &[("indexable_without_photo", "puzzle 1")],
    )
    .await;
}

#[tokio::test]
async fn a_gap_in_the_results_is_found() {
    let plant = |slots: &str| {
        format!(
            "WITH slots (slot) AS (VALUES {slots})
             INSERT INTO daily_results (puzzle_id, session_id, slot, outcome, guesses_used, created_at)
             SELECT 6, 'a-session-of-slot-' || slot, slot, 'won', 3, 0 FROM slots"
        )
    };
    check(&plant("(2), (1), (3)"), &[]).await;
    check(&plant("(2), (3)"), &[("results_not_dense", "puzzle 6")]).await;
    check(&plant("(1), (3)"), &[("results_not_dense", "puzzle 6")]).await;
    check(&plant("(0), (1)"), &[("results_not_dense", "puzzle 6")]).await;
}

#[tokio::test]
async fn a_photo_that_was_lost_is_found() {
    let world = lively().await;
    let worker = world.worker("verifier").await;
    let key = world.blobs.keys()[0].clone();
    let empty = std::sync::Arc::new(fencepost_ports::memory::MemoryBlobs::new());
    for kept in world.blobs.keys().into_iter().filter(|it| *it != key) {
        let blob = world.blobs.get(&kept).await.unwrap().unwrap();
        empty.put(&kept, blob.bytes).await.unwrap();
    }
    let site = fencepost_application::Site { blobs: empty, ..worker.site };
    let found = site.verify().await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].rule.as_str(), found[0].subject.as_str()), ("missing_photo", key.as_str()));
}
