//! The verifier finds every kind of damage, planted by hand, and calls it by its name.

use crate::world::editor;

use fencepost_ports::{BlobStore, Job, StoredRow};

use crate::world::{World, due, id, opens};

/// A site with a bit of everything: published, updated, withdrawn, blocked, scheduled.
async fn lively() -> World {
    let world = World::with_finished(5).await;
    let worker = world.worker("worker").await;
    worker.site.withdraw(&editor(), id(4), fencepost_application::Expected::ANYTHING).await.unwrap();
    worker.run(Job::Publish).await;
    worker.site.withdraw(&editor(), id(2), fencepost_application::Expected::ANYTHING).await.unwrap();
    world.import([fencepost_domain::puzzle::ImportRow { price_cents: 777, ..crate::world::row(3) }]).await;
    worker.site.republish(&editor(), id(3), fencepost_application::Expected::ANYTHING).await.unwrap();
    world.import([crate::world::row(6)]).await;
    worker.assert_sound().await;
    world
}

/// A rule, what violates it, and the rows concerned. A receipt is called by its puzzle and
/// by the version that it had before the damage.
type Expected<'a> = (&'a str, &'a str, &'a [&'a str]);

async fn check(damage: &str, expected: &[Expected<'_>]) {
    let world = lively().await;
    let receipts = world.rows("SELECT commit_token, puzzle_id, content_version FROM commit_receipts").await;
    world
        .execute(&format!("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; {damage}"))
        .await;
    let worker = world.worker("verifier").await;
    let found = worker.site.verify().await.unwrap();
    let name = |row: &StoredRow| {
        let token = format!("commit_token={} ", row.key);
        let receipt = receipts.iter().find_map(|receipt| receipt.strip_prefix(&token));
        receipt.map_or_else(|| row.to_string(), |receipt| format!("receipt {receipt}"))
    };
    let found: Vec<_> = found
        .iter()
        .map(|it| {
            let mut rows: Vec<_> = it.rows.iter().map(name).collect();
            rows.sort();
            (it.rule.clone(), it.subject.clone(), rows)
        })
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(rule, subject, rows)| {
            let rows: Vec<_> = rows.iter().map(|row| (*row).to_owned()).collect();
            ((*rule).to_owned(), (*subject).to_owned(), rows)
        })
        .collect();
    assert_eq!(found, expected, "{damage}");
}

const PAGE_1: &str = "answer_posts/1";
const PAGE_2: &str = "answer_posts/2";
const PAGE_3: &str = "answer_posts/3";
const ITEM_1: &str = "publication_items/1";
const ITEM_6: &str = "publication_items/6";
const PUBLISHED_1: &str = "receipt puzzle_id=1 content_version=1";
const PUBLISHED_3: &str = "receipt puzzle_id=3 content_version=1";
const WITHDRAWN_2: &str = "receipt puzzle_id=2 content_version=2";
const UPDATED_3: &str = "receipt puzzle_id=3 content_version=2";
const SITE: &str = "site_state/1";

#[tokio::test]
async fn a_revision_that_is_missing_is_found_and_so_is_the_page_that_lacks_a_receipt() {
    check(
        "UPDATE site_state SET publication_revision = publication_revision + 1",
        &[("revision_missing", "revision 7", &[SITE])],
    )
    .await;
    check(
        "UPDATE site_state SET publication_revision = publication_revision + 3",
        &[("revision_missing", "revisions 7 to 9", &[SITE])],
    )
    .await;
    check(
        "DELETE FROM commit_receipts WHERE puzzle_id = 3",
        &[
            ("page_does_not_fit_receipts", "puzzle 3", &[PAGE_3]),
            ("quota_miscounted", "day 20764", &["daily_quotas/20764"]),
            ("revision_missing", "revision 3", &[PAGE_3]),
            ("revision_missing", "revision 6", &[PAGE_3]),
        ],
    )
    .await;
    // Two pages lack a receipt each. What puzzle 2 lacks came before its revision 5.
    check(
        "DELETE FROM commit_receipts WHERE puzzle_id = 2 AND content_version = 1
           OR puzzle_id = 3 AND content_version = 2",
        &[
            ("page_does_not_fit_receipts", "puzzle 3", &[PAGE_3, PUBLISHED_3]),
            ("quota_miscounted", "day 20764", &["daily_quotas/20764"]),
            ("revision_missing", "revision 2", &[PAGE_2]),
            ("revision_missing", "revision 6", &[PAGE_3]),
            ("versions_not_dense", "puzzle 2", &[WITHDRAWN_2]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_revision_that_the_site_has_not_reached_is_found() {
    check(
        "UPDATE site_state SET publication_revision = publication_revision - 1",
        &[("revision_surplus", "puzzle 3", &[UPDATED_3, SITE])],
    )
    .await;
    for revision in [99, 0, -1] {
        check(
            &format!("UPDATE commit_receipts SET revision = {revision} WHERE revision = 1"),
            &[
                ("revision_missing", "revision 1", &[SITE]),
                ("revision_surplus", "puzzle 1", &[PUBLISHED_1, SITE]),
            ],
        )
        .await;
    }
}

#[tokio::test]
async fn a_missing_row_of_site_state_is_found() {
    check("DELETE FROM site_state", &[("site_state_missing", "site", &[SITE])]).await;
}

#[tokio::test]
async fn an_item_that_does_not_fit_its_page_is_found() {
    for (state, n) in
        [("published", 6), ("scheduled", 1), ("published", 2), ("withdrawn", 3), ("processing", 5)]
    {
        let (page, item) = (format!("answer_posts/{n}"), format!("publication_items/{n}"));
        check(
            &format!("UPDATE publication_items SET state = '{state}' WHERE puzzle_id = {n}"),
            &[("item_does_not_fit_page", &format!("puzzle {n}"), &[&page, &item])],
        )
        .await;
    }
}

#[tokio::test]
async fn a_page_that_was_lost_is_found() {
    check(
        "DELETE FROM answer_posts WHERE puzzle_id = 1",
        &[
            ("item_does_not_fit_page", "puzzle 1", &[PAGE_1, ITEM_1]),
            ("receipt_without_page", "puzzle 1", &[PAGE_1, PUBLISHED_1]),
        ],
    )
    .await;
    // The item was set back as well, as if nothing had ever been published.
    check(
        "DELETE FROM answer_posts WHERE puzzle_id = 1;
         UPDATE publication_items SET state = 'scheduled' WHERE puzzle_id = 1",
        &[("receipt_without_page", "puzzle 1", &[PAGE_1, PUBLISHED_1])],
    )
    .await;
}

#[tokio::test]
async fn a_page_that_nobody_committed_is_found() {
    check(
        "INSERT INTO answer_posts SELECT 6, 1, 'forged', 1, play_date, name, price_cents, '', NULL, 0, 9e12, 9e12, NULL
         FROM puzzles WHERE puzzle_id = 6;
         UPDATE publication_items SET state = 'published' WHERE puzzle_id = 6",
        &[("page_does_not_fit_receipts", "puzzle 6", &["answer_posts/6"])],
    )
    .await;
    for damage in ["commit_token = 'forged'", "content_version = 2"] {
        check(
            &format!("UPDATE answer_posts SET {damage} WHERE puzzle_id = 1"),
            &[("page_does_not_fit_receipts", "puzzle 1", &[PAGE_1, PUBLISHED_1])],
        )
        .await;
    }
}

#[tokio::test]
async fn versions_with_a_hole_are_found() {
    check(
        "UPDATE commit_receipts SET content_version = 3 WHERE puzzle_id = 3 AND content_version = 2;
         UPDATE answer_posts SET content_version = 3 WHERE puzzle_id = 3",
        &[("versions_not_dense", "puzzle 3", &[PUBLISHED_3, UPDATED_3])],
    )
    .await;
}

#[tokio::test]
async fn versions_whose_revisions_fall_are_found() {
    check(
        "UPDATE commit_receipts SET revision = -1 WHERE revision = 6;
         UPDATE commit_receipts SET revision = 6 WHERE revision = 3;
         UPDATE commit_receipts SET revision = 3 WHERE revision = -1",
        &[("revision_fell", "puzzle 3", &[PUBLISHED_3, UPDATED_3])],
    )
    .await;
}

#[tokio::test]
async fn a_page_published_twice_is_found() {
    check(
        "UPDATE commit_receipts SET kind = 'publish' WHERE puzzle_id = 3 AND content_version = 2;
         UPDATE daily_quotas SET published = published + 1",
        &[("published_not_once", "puzzle 3", &[UPDATED_3])],
    )
    .await;
    check(
        "UPDATE commit_receipts SET kind = 'update' WHERE puzzle_id = 1;
         UPDATE daily_quotas SET published = published - 1",
        &[("published_not_once", "puzzle 1", &[PUBLISHED_1])],
    )
    .await;
}

#[tokio::test]
async fn a_kind_of_commit_that_cannot_have_followed_is_found() {
    let check = async |damage: &str, expected: &[Expected<'_>]| {
        let damage = format!(
            "{damage};
             UPDATE publication_items SET state = 'published' WHERE puzzle_id = 2;
             UPDATE answer_posts SET withdrawn_at = NULL, content_version = 3, commit_token = 'third' WHERE puzzle_id = 2;
             INSERT INTO commit_receipts
             SELECT 'third', puzzle_id, 'reinstate', owner_id, fence, 3, 7, committed_at FROM commit_receipts
             WHERE puzzle_id = 2 AND content_version = 2;
             UPDATE site_state SET publication_revision = 7"
        );
        check(&damage, expected).await;
    };
    check("SELECT 1", &[]).await;
    let third = "commit_receipts/third";
    check(
        "UPDATE commit_receipts SET kind = 'update' WHERE puzzle_id = 2 AND content_version = 2",
        &[("kind_out_of_order", "puzzle 2", &[third, WITHDRAWN_2])],
    )
    .await;
    let after_withdrawal = "CREATE TRIGGER other AFTER INSERT ON commit_receipts
         BEGIN UPDATE commit_receipts SET kind = 'update' WHERE commit_token = 'third'; END";
    check(after_withdrawal, &[("kind_out_of_order", "puzzle 2", &[third, WITHDRAWN_2])]).await;
}

#[tokio::test]
async fn a_page_withdrawn_twice_is_found() {
    check(
        "UPDATE commit_receipts SET kind = 'withdraw' WHERE puzzle_id = 3 AND content_version = 2;
         UPDATE answer_posts SET withdrawn_at = updated_at, content_version = 3, commit_token = 'third' WHERE puzzle_id = 3;
         INSERT INTO commit_receipts
         SELECT 'third', puzzle_id, 'withdraw', owner_id, fence, 3, 7, committed_at FROM commit_receipts
         WHERE puzzle_id = 3 AND content_version = 2;
         UPDATE publication_items SET state = 'withdrawn' WHERE puzzle_id = 3;
         UPDATE site_state SET publication_revision = 7",
        &[("kind_out_of_order", "puzzle 3", &["commit_receipts/third", UPDATED_3])],
    )
    .await;
}

#[tokio::test]
async fn a_fence_that_fell_is_found() {
    check(
        "UPDATE commit_receipts SET fence = 0 WHERE puzzle_id = 3 AND content_version = 2",
        &[("fence_fell", "puzzle 3", &[PUBLISHED_3, UPDATED_3])],
    )
    .await;
    check(
        "UPDATE job_leases SET fence = 1 WHERE key = 'publication:3'",
        &[("lease_fence_fell", "puzzle 3", &["job_leases/publication:3", UPDATED_3])],
    )
    .await;
    check(
        "DELETE FROM job_leases WHERE key = 'publication:1'",
        &[("lease_fence_fell", "puzzle 1", &["job_leases/publication:1", PUBLISHED_1])],
    )
    .await;
}

#[tokio::test]
async fn a_page_published_early_is_found() {
    let at = "(SELECT due_at - 1 FROM publication_items WHERE puzzle_id = 5)";
    check(
        &format!(
            "UPDATE commit_receipts SET committed_at = {at} WHERE puzzle_id = 5;
             UPDATE answer_posts SET published_at = {at}, updated_at = {at} WHERE puzzle_id = 5"
        ),
        &[("published_early", "puzzle 5", &["publication_items/5", "receipt puzzle_id=5 content_version=1"])],
    )
    .await;
}

#[tokio::test]
async fn an_instant_of_a_page_that_no_receipt_tells_of_is_found() {
    check(
        "UPDATE answer_posts SET published_at = published_at + 1 WHERE puzzle_id = 3",
        &[("published_at_does_not_fit_receipt", "puzzle 3", &[PAGE_3, PUBLISHED_3])],
    )
    .await;
    check(
        "UPDATE answer_posts SET updated_at = updated_at + 1 WHERE puzzle_id = 3",
        &[("updated_at_does_not_fit_receipt", "puzzle 3", &[PAGE_3, UPDATED_3])],
    )
    .await;
    for (damage, n) in [("withdrawn_at + 1", 2), ("withdrawn_at - 1", 2)] {
        check(
            &format!("UPDATE answer_posts SET withdrawn_at = {damage} WHERE puzzle_id = {n}"),
            &[("withdrawn_at_does_not_fit_receipt", "puzzle 2", &[PAGE_2, WITHDRAWN_2])],
        )
        .await;
    }
}

#[tokio::test]
async fn a_page_withdrawn_or_reinstated_without_a_receipt_is_found() {
    check(
        "UPDATE answer_posts SET withdrawn_at = NULL WHERE puzzle_id = 2;
         UPDATE publication_items SET state = 'published' WHERE puzzle_id = 2",
        &[("withdrawn_at_does_not_fit_receipt", "puzzle 2", &[PAGE_2, WITHDRAWN_2])],
    )
    .await;
    check(
        "UPDATE answer_posts SET withdrawn_at = updated_at WHERE puzzle_id = 1;
         UPDATE publication_items SET state = 'withdrawn' WHERE puzzle_id = 1",
        &[("withdrawn_at_does_not_fit_receipt", "puzzle 1", &[PAGE_1, PUBLISHED_1])],
    )
    .await;
}

#[tokio::test]
async fn an_answer_due_during_play_is_found() {
    check(
        "INSERT INTO visibility_instants SELECT due_at - 1 FROM publication_items WHERE puzzle_id = 6;
         UPDATE publication_items SET due_at = due_at - 1 WHERE puzzle_id = 6",
        &[("due_before_end_of_play", "puzzle 6", &[ITEM_6, "puzzles/6"])],
    )
    .await;
}

#[tokio::test]
async fn an_instant_that_the_calendar_lacks_is_found() {
    let instants = [("puzzles/1", opens(1)), ("puzzles/1", due(1))];
    for (puzzle, instant) in instants {
        let missing = format!("visibility_instants/{}", instant.get());
        check(
            &format!("DELETE FROM visibility_instants WHERE instant = {}", instant.get()),
            &[("instant_not_in_calendar", "puzzle 1", &[puzzle, &missing])],
        )
        .await;
    }
    let missing = format!("visibility_instants/{}", due(6).plus(1).get());
    check(
        "UPDATE publication_items SET due_at = due_at + 1 WHERE puzzle_id = 6",
        &[("instant_not_in_calendar", "puzzle 6", &["puzzles/6", &missing])],
    )
    .await;
}

#[tokio::test]
async fn a_puzzle_that_would_never_be_published_is_found() {
    check(
        "DELETE FROM publication_items WHERE puzzle_id = 6",
        &[("puzzle_without_item", "puzzle 6", &[ITEM_6, "puzzles/6"])],
    )
    .await;
    check(
        "DELETE FROM publication_items WHERE puzzle_id = 1",
        &[
            ("page_without_item", "puzzle 1", &[PAGE_1, ITEM_1]),
            ("puzzle_without_item", "puzzle 1", &[ITEM_1, "puzzles/1"]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_quota_that_miscounts_is_found() {
    let miscounted: &[Expected<'_>] = &[("quota_miscounted", "day 20764", &["daily_quotas/20764"])];
    check("UPDATE daily_quotas SET published = published + 1", miscounted).await;
    check("UPDATE daily_quotas SET published = published - 1", miscounted).await;
    check("DELETE FROM daily_quotas", miscounted).await;
    check(
        "INSERT INTO daily_quotas VALUES (1, 1, 1, NULL)",
        &[("quota_miscounted", "day 1", &["daily_quotas/1"])],
    )
    .await;
}

#[tokio::test]
async fn a_quota_that_was_exceeded_is_found_and_one_that_was_used_up_is_not() {
    check("UPDATE daily_quotas SET quota = published", &[]).await;
    check(
        "UPDATE daily_quotas SET quota = published - 1",
        &[("quota_exceeded", "day 20764", &["daily_quotas/20764"])],
    )
    .await;
}

#[tokio::test]
async fn a_quota_that_was_raised_and_lowered_within_a_day_is_no_violation() {
    let world = World::with_finished(5).await;
    let with = async |daily_quota| {
        let settings = fencepost_application::Settings { daily_quota, ..Default::default() };
        world.worker_with(&format!("quota-{daily_quota}"), settings).await
    };
    for daily_quota in [1, 4, 2] {
        with(daily_quota).await.run(Job::Publish).await;
        with(9).await.assert_sound().await;
    }
    assert_eq!(world.rows("SELECT published, quota FROM daily_quotas").await, ["published=4 quota=4"]);
}

#[tokio::test]
async fn an_index_flag_at_odds_with_the_photo_is_found() {
    check(
        "UPDATE answer_posts SET indexable = 0 WHERE puzzle_id = 1",
        &[("indexable_without_photo", "puzzle 1", &[PAGE_1])],
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
    for slots in ["(2), (3)", "(1), (3)", "(0), (1)"] {
        check(&plant(slots), &[("results_not_dense", "puzzle 6", &["puzzles/6"])]).await;
    }
}

#[tokio::test]
async fn a_tally_that_is_wrong_is_found_and_one_that_is_missing_is_none() {
    let plant = |rows: &str| {
        format!(
            "WITH given (slot, outcome, guesses_used, third, sixth) AS (VALUES {rows})
             INSERT INTO daily_results (puzzle_id, session_id, slot, outcome, guesses_used, created_at,
               won_with_1, won_with_2, won_with_3, won_with_4, won_with_5, won_with_6)
             SELECT 6, 'a-session-of-slot-' || slot, slot, outcome, guesses_used, 0, 0, 0, third, 0, 0, sixth
             FROM given"
        )
    };
    for rows in [
        "(1, 'won', 3, 1, 0), (2, 'lost', 6, 1, 0), (3, 'won', 6, 1, 1)",
        "(1, 'won', 3, NULL, NULL)",
        "(1, 'won', 3, 1, 0), (2, 'won', 3, NULL, NULL), (3, 'won', 3, NULL, NULL)",
    ] {
        check(&plant(rows), &[]).await;
    }
    for rows in [
        "(1, 'won', 3, 0, 0)",
        "(1, 'won', 3, 0, 1)",
        "(1, 'lost', 6, 0, 1)",
        "(1, 'won', 3, 1, 0), (2, 'won', 3, 1, 0)",
        "(1, 'won', 3, 1, 0), (2, 'lost', 6, 2, 0)",
    ] {
        check(&plant(rows), &[("results_miscounted", "puzzle 6", &["puzzles/6"])]).await;
    }
    check(
        &plant("(1, 'won', 3, 1, 0), (3, 'won', 3, 3, 0)"),
        &[("results_not_dense", "puzzle 6", &["puzzles/6"])],
    )
    .await;
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
    let of = format!("SELECT puzzle_id FROM source_images WHERE object_key = '{key}'");
    let puzzle = world.rows(&of).await[0].replace("puzzle_id=", "");
    let rows: Vec<_> = found[0].rows.iter().map(ToString::to_string).collect();
    assert_eq!(rows, [format!("answer_posts/{puzzle}"), format!("source_images/{puzzle}")]);
    assert_eq!(site.verify_without_photos().await, Ok(Vec::new()));
}

/// A site of which others were told everything, alerts included.
const TOLD: &str = "
    INSERT INTO outbox_cursor VALUES (1, 6);
    INSERT INTO alert_episodes VALUES
      (1, 'paused', NULL, NULL, 1, '', '', 10, 'ada', 20, 30, 'bob'),
      (2, 'paused', NULL, NULL, 1, '', '', 40, 'ada', NULL, NULL, NULL);
    INSERT INTO outbox (number, event_id, kind, puzzle_id, content_version, revision, happened_at, created_at,
      next_attempt_at, state, delivered_at)
    SELECT r.revision, r.kind || '-' || r.puzzle_id || '-v' || r.content_version, 'published', r.puzzle_id,
      r.content_version, r.revision, r.committed_at, 0, 0, 'delivered', 5
    FROM commit_receipts AS r
    WHERE r.kind = 'publish';
    INSERT INTO outbox (number, event_id, kind, episode, happened_at, created_at, next_attempt_at) VALUES
      (11, 'alert-1-raised', 'alert_raised', 1, 10, 0, 0),
      (12, 'alert-1-cleared', 'alert_cleared', 1, 30, 0, 0),
      (13, 'alert-2-raised', 'alert_raised', 2, 40, 0, 0);";

#[tokio::test]
async fn an_outbox_that_tells_what_happened_is_sound() {
    check(TOLD, &[]).await;
}

#[tokio::test]
async fn an_event_of_what_did_not_happen_is_found() {
    let told = async |damage: &str, rule: &str, event: &str, rows: &[&str]| {
        check(&format!("{TOLD} {damage}"), &[(rule, &format!("event {event}"), rows)]).await;
    };
    const RULE: &str = "event_not_of_receipt";
    for damage in [
        "content_version = 2",
        "puzzle_id = 3",
        "kind = 'withdrawn'",
        "happened_at = happened_at - 1",
        "puzzle_id = NULL",
    ] {
        let damage = format!("UPDATE outbox SET {damage} WHERE number = 1");
        told(&damage, RULE, "publish-1-v1", &["outbox/1", PUBLISHED_1]).await;
    }
    told(
        "UPDATE outbox SET event_id = 'publish-1-v9' WHERE number = 1",
        RULE,
        "publish-1-v9",
        &["outbox/1", PUBLISHED_1],
    )
    .await;
    let forged =
        "INSERT INTO outbox (number, event_id, kind, revision, happened_at, created_at, next_attempt_at)
                  VALUES (9, 'publish-9-v1', 'published', 0, 0, 0, 0)";
    told(forged, RULE, "publish-9-v1", &["outbox/9"]).await;
}

#[tokio::test]
async fn an_event_of_an_alert_that_was_not_is_found() {
    let told = async |damage: &str, event: &str, rows: &[&str]| {
        let subject = format!("event {event}");
        check(&format!("{TOLD} {damage}"), &[("event_not_of_alert", &subject, rows)]).await;
    };
    told(
        "UPDATE outbox SET happened_at = 11 WHERE number = 11",
        "alert-1-raised",
        &["alert_episodes/1", "outbox/11"],
    )
    .await;
    told(
        "UPDATE outbox SET episode = 2 WHERE number = 12",
        "alert-1-cleared",
        &["alert_episodes/2", "outbox/12"],
    )
    .await;
    told("DELETE FROM alert_episodes WHERE number = 2", "alert-2-raised", &["outbox/13"]).await;
}

#[tokio::test]
async fn a_cursor_on_the_wrong_side_is_found() {
    check(
        &format!("{TOLD} UPDATE outbox_cursor SET revision = 7"),
        &[("outbox_cursor_ahead", "site", &["outbox_cursor/1", SITE])],
    )
    .await;
    check(
        &format!("{TOLD} UPDATE outbox_cursor SET revision = 2"),
        &[
            ("event_ahead_of_cursor", "event publish-3-v1", &["outbox/3", "outbox_cursor/1"]),
            ("event_ahead_of_cursor", "event publish-5-v1", &["outbox/4", "outbox_cursor/1"]),
        ],
    )
    .await;
    check(
        &format!("{TOLD} DELETE FROM outbox WHERE number > 1; DELETE FROM outbox_cursor"),
        &[("event_ahead_of_cursor", "event publish-1-v1", &["outbox/1"])],
    )
    .await;
}

#[tokio::test]
async fn a_delivery_that_does_not_fit_its_event_is_found() {
    for (damage, event, row) in [
        ("delivered_at = NULL WHERE number = 1", "publish-1-v1", "outbox/1"),
        ("delivered_at = 5 WHERE number = 11", "alert-1-raised", "outbox/11"),
        ("claimed_by = 'ada' WHERE number = 1", "publish-1-v1", "outbox/1"),
        ("state = 'dead', claimed_by = 'ada' WHERE number = 11", "alert-1-raised", "outbox/11"),
    ] {
        let subject = format!("event {event}");
        check(&format!("{TOLD} UPDATE outbox SET {damage}"), &[("delivery_does_not_fit", &subject, &[row])])
            .await;
    }
}
