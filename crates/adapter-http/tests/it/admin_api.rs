//! What the admin API does when all is well.

use axum::http::Method;
use expect_test::{Expect, expect};
use fencepost_domain::resolution::Resolution;
use serde_json::{Value, json};

use crate::world::{World, row};

async fn check(world: &World, method: Method, path: &str, body: Option<Value>, expected: Expect) {
    let answer = world.admin(method, path, body).await;
    let got = [answer.status.as_str(), answer.header("content-type"), answer.header("cache-control")];
    assert_eq!(got, ["200", "application/json", "no-store"], "{path}: {}", answer.text());
    expected.assert_eq(&serde_json::to_string_pretty(&answer.json()).unwrap());
}

#[tokio::test]
async fn an_import_tells_what_it_changed() {
    let world = World::empty();
    let body = json!({ "puzzles": [row(1, "2026-11-21", "Lamp", None), row(2, "2026-11-22", "Vase", None)] });
    check(
        &world,
        Method::POST,
        "/puzzles",
        Some(body.clone()),
        expect![[r#"
        {
          "bank_revision": 1,
          "inserted": 2,
          "unchanged": 0,
          "updated": 0
        }"#]],
    )
    .await;
    check(
        &world,
        Method::POST,
        "/puzzles",
        Some(body),
        expect![[r#"
        {
          "bank_revision": 1,
          "inserted": 0,
          "unchanged": 2,
          "updated": 0
        }"#]],
    )
    .await;
}

#[tokio::test]
async fn a_job_returns_its_report() {
    let world = World::new().await;
    world.clock.set("2026-11-29T00:10:00Z".parse().unwrap());
    check(
        &world,
        Method::POST,
        "/jobs/publish",
        None,
        expect![[r#"
            {
              "ambiguous": {},
              "counts": {
                "blocked": 1,
                "published": 1
              },
              "finished_at": 1795911000000,
              "images": {
                "failed": 0,
                "prepared": 1
              },
              "interrupted": false,
              "items": [
                {
                  "blocked_by": [],
                  "content_version": 1,
                  "outcome": "published",
                  "puzzle_id": 1119,
                  "revision": 5
                },
                {
                  "blocked_by": [
                    "image_ready"
                  ],
                  "detail": "503 Service Unavailable",
                  "outcome": "blocked",
                  "puzzle_id": 1115
                }
              ],
              "job": "publish",
              "left": 0,
              "revision": 5,
              "run_id": "token-12",
              "started_at": 1795911000000,
              "utc_day": 20786
            }"#]],
    )
    .await;
    let answer = world.admin(Method::POST, "/jobs/compensate", None).await.json();
    assert_eq!((&answer["job"], &answer["items"]), (&json!("compensate"), &json!([])));
}

#[tokio::test]
async fn a_dry_run_tells_what_a_job_would_do_and_does_nothing() {
    let world = World::new().await;
    world.clock.set("2026-11-29T00:10:00Z".parse().unwrap());
    let before = world.admin(Method::GET, "/status", None).await.json();
    check(&world, Method::POST, "/jobs/publish?dry_run=true", None, expect![[r#"
        {
          "counts": {
            "conflict": 1,
            "published": 1
          },
          "dry_run": true,
          "finished_at": 1795911000000,
          "interrupted": false,
          "items": [
            {
              "blocked_by": [],
              "content_version": 1,
              "outcome": "published",
              "puzzle_id": 1119,
              "revision": 5
            },
            {
              "blocked_by": [
                "image_ready"
              ],
              "detail": "the photo is not stored; a run would fetch it first, from https://photos.example/stove.webp",
              "outcome": "conflict",
              "puzzle_id": 1115
            }
          ],
          "job": "publish",
          "revision": 5,
          "started_at": 1795911000000,
          "utc_day": 20786
        }"#]]).await;
    assert_eq!(world.admin(Method::GET, "/status", None).await.json(), before);
    let report = world.admin(Method::POST, "/jobs/publish?dry_run=false", None).await.json();
    assert_eq!((&report["counts"]["published"], report.get("dry_run")), (&json!(1), None));
    let report = world.admin(Method::POST, "/jobs/compensate?dry_run=true", None).await.json();
    assert_eq!(
        (&report["job"], &report["dry_run"], &report["items"]),
        (&json!("compensate"), &json!(true), &json!([]))
    );
}

#[tokio::test]
async fn a_stopped_server_takes_no_item_in_hand() {
    let world = World::new().await;
    world.clock.set("2026-11-29T00:10:00Z".parse().unwrap());
    world.config.stop.request();
    let answer = world.admin(Method::POST, "/jobs/publish", None).await.json();
    assert_eq!((&answer["interrupted"], &answer["items"]), (&json!(true), &json!([])));
}

#[tokio::test]
async fn an_item_is_told_with_its_history_and_its_hindrances() {
    let world = World::new().await;
    check(
        &world,
        Method::GET,
        "/items/1118",
        None,
        expect![[r#"
            {
              "actions": [],
              "attempts": 0,
              "blocked_by": [],
              "blocked_reason": null,
              "due_at": 1795824600000,
              "guard": [],
              "history": [
                {
                  "commit_token": "token-8",
                  "committed_at": 1795878000000,
                  "content_version": 1,
                  "fence": 1,
                  "kind": "publish",
                  "owner_id": "fencepost/token-5",
                  "puzzle_id": 1118,
                  "revision": 3
                }
              ],
              "image": {
                "bytes": 28,
                "error": null,
                "image_url": "https://photos.example/lamp.webp",
                "object_key": "09e1393524a74473917131d161bc9fc02964a7a77d6f5ac9716ab995c8100fbf.webp",
                "state": "ready"
              },
              "lease": {
                "expires_at": 0,
                "fence": 1,
                "live": false,
                "owner": "fencepost/token-5"
              },
              "next_attempt_at": 0,
              "now": 1795878000000,
              "page": {
                "bank_version": 1,
                "content_version": 1,
                "image_key": "09e1393524a74473917131d161bc9fc02964a7a77d6f5ac9716ab995c8100fbf.webp",
                "indexable": true,
                "published_at": 1795878000000,
                "updated_at": 1795878000000,
                "withdrawn_at": null
              },
              "paused": false,
              "puzzle": {
                "bank_version": 1,
                "description": "About the *Lamp & shade*.",
                "image_url": "https://photos.example/lamp.webp",
                "name": "Lamp & shade",
                "opens_at": 1795737600000,
                "play_date": "2026-11-27",
                "playable_until": 1795824600000,
                "price_cents": 1118,
                "puzzle_id": 1118
              },
              "puzzle_id": 1118,
              "quota": {
                "published": 3,
                "quota": 100,
                "set_quota": null
              },
              "state": "published"
            }"#]],
    )
    .await;
    let open = world.admin(Method::GET, "/items/1119", None).await.json();
    assert_eq!(open["state"], "scheduled");
    assert_eq!(
        open["blocked_by"],
        json!([{ "predicate": "item_due", "detail": "the answer is due at 2026-11-29T00:10:00Z" }])
    );
    let guard = open["guard"].as_array().unwrap();
    let told = |finding: &Value| (finding["predicate"].clone(), finding["holds"].clone());
    let expected = [
        ("lease_owner", true),
        ("lease_fence", true),
        ("lease_live", true),
        ("content_version", true),
        ("item_state", true),
        ("item_due", false),
        ("not_too_late", true),
        ("bank_version", true),
        ("image_ready", true),
        ("quota_left", true),
        ("not_paused", true),
    ];
    let expected = expected.map(|(predicate, holds)| (json!(predicate), json!(holds)));
    assert_eq!(guard.iter().map(told).collect::<Vec<_>>(), expected);
    assert_eq!(guard[0]["detail"], "nobody else has the item in hand");
}

#[tokio::test]
async fn the_ledger_is_listed_by_date_of_play() {
    let world = World::new().await;
    let ids = |answer: &Value| -> Vec<i64> {
        answer["items"].as_array().unwrap().iter().map(|item| item["puzzle_id"].as_i64().unwrap()).collect()
    };
    let all = world.admin(Method::GET, "/items", None).await.json();
    assert_eq!(ids(&all), [1120, 1119, 1118, 1117, 1116, 1115, 1114]);
    assert_eq!(all["next_before"], "2026-11-23");
    let some = world.admin(Method::GET, "/items?before=2026-11-25", None).await.json();
    assert_eq!(ids(&some), [1115, 1114]);
    let none = world.admin(Method::GET, "/items?before=2026-11-23", None).await.json();
    assert_eq!(none, json!({ "items": [], "next_before": null }));
}

#[tokio::test]
async fn an_operator_withdraws_reinstates_and_republishes() {
    let world = World::new().await;
    check(
        &world,
        Method::POST,
        "/items/1118/withdraw",
        None,
        expect![[r#"
        {
          "blocked_by": [],
          "content_version": 2,
          "outcome": "withdrawn",
          "puzzle_id": 1118,
          "revision": 5
        }"#]],
    )
    .await;
    assert_eq!(world.get("/answers/1118").await.status.as_u16(), 410);
    check(
        &world,
        Method::POST,
        "/items/1118/reinstate",
        None,
        expect![[r#"
        {
          "blocked_by": [],
          "content_version": 3,
          "outcome": "reinstated",
          "puzzle_id": 1118,
          "revision": 6
        }"#]],
    )
    .await;
    assert_eq!(world.get("/answers/1118").await.status.as_u16(), 200);
    check(
        &world,
        Method::POST,
        "/items/1118/republish",
        None,
        expect![[r#"
        {
          "blocked_by": [],
          "content_version": 3,
          "outcome": "unchanged",
          "puzzle_id": 1118
        }"#]],
    )
    .await;
}

#[tokio::test]
async fn a_due_instant_is_moved_in_either_spelling() {
    let world = World::new().await;
    let body = json!({ "due_at": "2026-11-30T08:00:00Z", "expected_due_at": 1_795_911_000_000_i64 });
    check(
        &world,
        Method::POST,
        "/items/1119/reschedule",
        Some(body),
        expect![[r#"
        {
          "attempts": 0,
          "blocked_reason": null,
          "due_at": 1796025600000,
          "next_attempt_at": 0,
          "puzzle_id": 1119,
          "state": "scheduled"
        }"#]],
    )
    .await;
    let body = json!({ "due_at": 1_795_911_000_000_i64 });
    let answer = world.admin(Method::POST, "/items/1119/reschedule", Some(body)).await.json();
    assert_eq!(answer["due_at"], 1_795_911_000_000_i64);
}

#[tokio::test]
async fn the_site_is_paused_and_resumed() {
    let world = World::new().await;
    check(
        &world,
        Method::POST,
        "/pause",
        None,
        expect![[r#"
        {
          "paused": true
        }"#]],
    )
    .await;
    let status = world.admin(Method::GET, "/status", None).await.json();
    assert_eq!(status["paused"], true);
    check(
        &world,
        Method::POST,
        "/resume",
        None,
        expect![[r#"
        {
          "paused": false
        }"#]],
    )
    .await;
    check(
        &world,
        Method::GET,
        "/status",
        None,
        expect![[r#"
            {
              "alerts": [
                {
                  "count": 1,
                  "kind": "overdue",
                  "meaning": "1 item is due and not out.",
                  "remedy": "Run `compensate`. If that does not bring them out, ask for the reason with `explain`.",
                  "severity": "alert",
                  "since": 1795565400000
                },
                {
                  "count": 1,
                  "job": "compensate",
                  "kind": "no_heartbeat",
                  "meaning": "No run of `compensate` has ever ended, and the site is older than two of its intervals.",
                  "remedy": "Nothing starts the jobs. Keep `fencepost serve` running, without --no-cron; of a Worker, look whether its crons are deployed and at their past events. Until then, run `compensate` by hand.",
                  "severity": "alert",
                  "since": 1795176000000
                }
              ],
              "ambiguous": {},
              "bank_revision": 5,
              "blocked": 0,
              "build_version": "1.2.3",
              "catch_up": {
                "publish_late": true,
                "skip_older_than": null
              },
              "environment": "test",
              "heartbeats": [
                {
                  "ended_at": 1795878000000,
                  "job": "publish",
                  "unknown": 0
                }
              ],
              "known_since": 1795176000000,
              "last_runs": [
                {
                  "build": "0.1.0",
                  "counts": {
                    "blocked": 1,
                    "published": 3
                  },
                  "error": null,
                  "finished_at": 1795878000000,
                  "job": "publish",
                  "owner_id": "fencepost/token-5",
                  "run_id": "token-4",
                  "started_at": 1795878000000,
                  "utc_day": 20785
                }
              ],
              "leases": [],
              "left_alone": 0,
              "left_alone_since": null,
              "next_wake": 1795878060000,
              "now": 1795878000000,
              "outbox": {
                "dead": 0,
                "pending": 0
              },
              "outstanding": 1,
              "outstanding_since": 1795565400000,
              "overdue": 1,
              "paused": false,
              "processing": 0,
              "publication_revision": 4,
              "published": 2,
              "quota": {
                "published": 3,
                "quota": 100,
                "set_quota": null
              },
              "recent_builds": [
                {
                  "build": "0.1.0",
                  "job": "publish",
                  "ran_at": 1795878000000
                }
              ],
              "scheduled": 3,
              "withdrawn": 2
            }"#]],
    )
    .await;
}

#[tokio::test]
async fn the_status_tells_what_became_of_commits_without_an_answer() {
    let world = World::new().await;
    let resolutions = &world.config.site.resolutions;
    for resolution in [Resolution::NotSeen, Resolution::Committed, Resolution::NotSeen] {
        resolutions.count(resolution);
    }
    let status = world.admin(Method::GET, "/status", None).await.json();
    assert_eq!(status["ambiguous"], json!({"committed": 1, "not_seen": 2}));
    // A run counts for itself.
    let report = world.admin(Method::POST, "/jobs/compensate", None).await.json();
    assert_eq!(report["ambiguous"], json!({}));
}

#[tokio::test]
async fn verification_tells_findings_and_succeeds_either_way() {
    let mut world = World::new().await;
    check(
        &world,
        Method::GET,
        "/verify",
        None,
        expect![[r#"
        {
          "ok": true,
          "violations": []
        }"#]],
    )
    .await;
    world.config.site.blobs = std::sync::Arc::new(fencepost_ports::memory::MemoryBlobs::new());
    let found = world.admin(Method::GET, "/verify", None).await;
    assert_eq!(found.status.as_u16(), 200);
    let found = found.json();
    assert_eq!((&found["ok"], &found["violations"][0]["rule"]), (&json!(false), &json!("missing_photo")));
}
