//! Every way in which the admin API says no.

use axum::{body::Body, http::Method};
use expect_test::{Expect, expect};
use serde_json::json;

use crate::world::{Answer, PUBLISHED, TOKEN, World, row};

fn check(answer: &Answer, expected: Expect) {
    let got = [answer.header("content-type"), answer.header("cache-control")];
    assert_eq!(got, ["application/problem+json", "no-store"], "{}", answer.text());
    let problem = answer.json();
    assert_eq!(problem["status"], answer.status.as_u16());
    expected.assert_eq(&serde_json::to_string_pretty(&problem).unwrap());
}

async fn post(world: &World, path: &str, content_type: Option<&str>, body: impl Into<Body>) -> Answer {
    let authorization = format!("Bearer {TOKEN}");
    let mut headers = vec![("authorization", authorization.as_str())];
    headers.extend(content_type.map(|kind| ("content-type", kind)));
    world.send(Method::POST, &format!("/admin/api{path}"), &headers, body.into()).await
}

const JSON: Option<&str> = Some("application/json; charset=utf-8");

#[tokio::test]
async fn a_row_of_the_wrong_shape_is_one_complaint_among_others() {
    let world = World::new().await;
    let rows = r#"{"puzzles": [{"id": "one"}, {"id": 0, "play_date": "2026-11-28", "name": "A mug", "price_cents": 5}]}"#;
    check(
        &post(&world, "/puzzles", JSON, rows).await,
        expect![[r#"
            {
              "complaints": [
                {
                  "field": "id",
                  "message": "invalid type: string \"one\", expected a whole number",
                  "row": 0
                },
                {
                  "field": "id",
                  "message": "0 is not a puzzle id: ids are whole numbers from 1 to 9007199254740991",
                  "row": 1
                }
              ],
              "detail": "nothing was imported: the import has 2 wrong fields",
              "status": 422,
              "title": "The import is not valid",
              "type": "urn:fencepost:problem:invalid-import"
            }"#]],
    );
}

#[tokio::test]
async fn bodies_that_cannot_be_read() {
    let world = World::new().await;
    check(
        &post(&world, "/puzzles", JSON, "{\"puzzles\":[\n  {\"id\":1,]}").await,
        expect![[r#"
        {
          "column": 11,
          "detail": "key must be a string at line 2 column 11",
          "line": 2,
          "status": 400,
          "title": "The body is not the JSON that this address takes",
          "type": "urn:fencepost:problem:malformed-json"
        }"#]],
    );
    check(
        &post(&world, "/puzzles", JSON, "{\"puzzles\":1}").await,
        expect![[r#"
            {
              "column": 12,
              "detail": "invalid type: integer `1`, expected an array at line 1 column 12",
              "field": "puzzles",
              "line": 1,
              "status": 400,
              "title": "The body is not the JSON that this address takes",
              "type": "urn:fencepost:problem:malformed-json"
            }"#]],
    );
    let undeclared = post(&world, "/puzzles", None, "{}").await;
    check(
        &undeclared,
        expect![[r#"
        {
          "detail": "Send JSON with the header `Content-Type: application/json`.",
          "status": 415,
          "title": "The body is not declared as JSON",
          "type": "urn:fencepost:problem:unsupported-media-type"
        }"#]],
    );
    for declared in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""] {
        assert_eq!(post(&world, "/puzzles", Some(declared), "{}").await, undeclared, "{declared}");
    }
    check(
        &post(&world, "/puzzles", JSON, vec![b' '; 16 * 1024 * 1024 + 1]).await,
        expect![[r#"
        {
          "detail": "A body has at most 16777216 bytes. Split the import into several files.",
          "limit_bytes": 16777216,
          "status": 413,
          "title": "The body is too large",
          "type": "urn:fencepost:problem:body-too-large"
        }"#]],
    );
    let fits = post(&world, "/puzzles", JSON, vec![b' '; 16 * 1024 * 1024]).await;
    assert_eq!(fits.status.as_u16(), 400);
    for body in ["", "[]", "null", "{\"puzzles\":[]} x", "\u{feff}{}"] {
        assert_eq!(post(&world, "/puzzles", JSON, body).await.status.as_u16(), 400, "{body:?}");
    }
}

#[tokio::test]
async fn a_misshapen_body_is_told_in_the_words_of_json_and_with_its_place() {
    let world = World::new().await;
    for (path, body) in [
        ("/puzzles", "[]"),
        ("/puzzles", "null"),
        ("/puzzles", "{\"puzzles\": {}}"),
        ("/puzzles", "{\"puzzles\": [], \"more\": 1}"),
        ("/items/1119/reschedule", "[]"),
        ("/items/1119/reschedule", "{\"due_at\": 1.5}"),
        ("/items/1119/reschedule", "{\"due_at\": \"2026-11-30T08:00:00Z\", \"by\": 1}"),
    ] {
        let answer = post(&world, path, JSON, body).await;
        let problem = answer.json();
        assert_eq!(answer.status.as_u16(), 400, "{body}: {problem}");
        let detail = problem["detail"].as_str().unwrap();
        for name in ["struct", "Raw", "Body", "i64", "sequence", " map", "untagged", "enum"] {
            assert!(!detail.contains(name), "{body}: {detail}");
        }
        assert!(problem["line"].is_number() && problem["column"].is_number(), "{problem}");
    }
}

#[tokio::test]
async fn a_byte_order_mark_is_no_part_of_a_body() {
    let world = World::new().await;
    let body = format!("\u{feff}{}", json!({ "puzzles": [row(1, "2026-12-01", "Fine", None)] }));
    assert_eq!(post(&world, "/puzzles", JSON, body).await.status.as_u16(), 200);
}

#[tokio::test]
async fn only_the_first_hundred_complaints_are_told_and_the_rest_is_counted() {
    let world = World::new().await;
    let rows: Vec<_> = (0..250).map(|at| json!({ "id": at })).collect();
    let problem = world.admin(Method::POST, "/puzzles", Some(json!({ "puzzles": rows }))).await.json();
    let told = problem["complaints"].as_array().unwrap().len();
    assert_eq!(told, 100);
    assert!(problem["more_complaints"].as_u64().unwrap() >= 150, "{problem}");
}

#[tokio::test]
async fn actions_that_did_not_take_place() {
    let world = World::new().await;
    check(
        &world.admin(Method::POST, "/items/1119/republish", None).await,
        expect![[r#"
            {
              "blocked_by": [
                "item_due"
              ],
              "detail": "Puzzle 1119 was not republished: the answer is due at 2026-11-29T00:10:00Z",
              "outcome": "not_due",
              "puzzle_id": 1119,
              "status": 409,
              "title": "The action did not take place",
              "type": "urn:fencepost:problem:not-done"
            }"#]],
    );
    check(
        &world.admin(Method::POST, "/items/1116/republish", None).await,
        expect![[r#"
            {
              "blocked_by": [],
              "detail": "Puzzle 1116 was not republished: the item is withdrawn; reinstate it first",
              "outcome": "conflict",
              "puzzle_id": 1116,
              "status": 409,
              "title": "The action did not take place",
              "type": "urn:fencepost:problem:not-done"
            }"#]],
    );
    world.admin(Method::POST, "/pause", None).await;
    check(
        &world.admin(Method::POST, "/items/1116/reinstate", None).await,
        expect![[r#"
            {
              "blocked_by": [
                "not_paused"
              ],
              "detail": "Puzzle 1116 was not reinstated: the site is paused",
              "outcome": "paused",
              "puzzle_id": 1116,
              "status": 409,
              "title": "The action did not take place",
              "type": "urn:fencepost:problem:not-done"
            }"#]],
    );
    assert_eq!(world.admin(Method::POST, "/items/1118/withdraw", None).await.status.as_u16(), 200);
}

#[tokio::test]
async fn imports_that_are_refused() {
    let world = World::new().await;
    let before = world.admin(Method::GET, "/status", None).await.json();
    let mut bad = row(2, "2026-02-30", " ", None);
    bad["price_cents"] = json!(0);
    let body = json!({ "puzzles": [row(1, "2026-12-01", "Fine", None), bad] });
    check(
        &world.admin(Method::POST, "/puzzles", Some(body)).await,
        expect![[r#"
            {
              "complaints": [
                {
                  "field": "play_date",
                  "message": "\"2026-02-30\" is not a date between 2000-01-01 and 2199-12-31 written YYYY-MM-DD",
                  "row": 1
                },
                {
                  "field": "name",
                  "message": "a name has 1 to 200 characters",
                  "row": 1
                },
                {
                  "field": "price_cents",
                  "message": "0 is not a price: write whole cents from 1 to 100000000",
                  "row": 1
                }
              ],
              "detail": "nothing was imported: the import has 3 wrong fields",
              "status": 422,
              "title": "The import is not valid",
              "type": "urn:fencepost:problem:invalid-import"
            }"#]],
    );

    let mut stale = row(1117, "2026-11-26", "Other", None);
    stale["expected_version"] = json!(9);
    let body = json!({ "puzzles": [
        stale,
        row(1118, "2026-12-02", "Moved", Some("lamp")),
        row(5000, "2026-11-29", "Taken", None),
        row(5001, "2026-12-03", "Fine", None),
    ] });
    check(
        &world.admin(Method::POST, "/puzzles", Some(body)).await,
        expect![[r#"
            {
              "detail": "nothing was imported: 3 rows at odds with the bank",
              "refused": [
                {
                  "puzzle_id": 1117,
                  "reason": {
                    "kind": "stale_version",
                    "stored": 1
                  }
                },
                {
                  "puzzle_id": 1118,
                  "reason": {
                    "kind": "date_fixed"
                  }
                },
                {
                  "puzzle_id": 5000,
                  "reason": {
                    "by": 1120,
                    "kind": "date_taken"
                  }
                }
              ],
              "status": 409,
              "title": "The import contradicts the bank",
              "type": "urn:fencepost:problem:import-refused"
            }"#]],
    );
    let after = world.admin(Method::GET, "/status", None).await.json();
    assert_eq!(after, before, "nothing was imported");
}

#[tokio::test]
async fn addresses_that_lead_nowhere() {
    let world = World::new().await;
    check(
        &world.admin(Method::GET, "/nope", None).await,
        expect![[r#"
        {
          "detail": "Check the spelling of the path. Puzzle ids are whole numbers without leading zeros; the jobs are `publish` and `compensate`.",
          "status": 404,
          "title": "There is nothing at this address",
          "type": "urn:fencepost:problem:not-found"
        }"#]],
    );
    let nowhere = world.admin(Method::GET, "/nope", None).await;
    for path in [
        "",
        "/",
        "/items/",
        "/items/01118",
        "/items/x",
        "/items/%FF",
        "/items/1118/",
        "/Items",
        "//items",
        "/items//1118",
        "/items/%31%31%31%38",
        "/%69tems",
        "/items/1118%20",
    ] {
        assert_eq!(world.admin(Method::GET, path, None).await, nowhere, "GET {path}");
    }
    for path in [
        "/jobs/nope",
        "/jobs/Publish",
        "/items/0/withdraw",
        "/items/1118/delete",
        "/items/%31118/withdraw",
        "//pause",
    ] {
        assert_eq!(world.admin(Method::POST, path, None).await, nowhere, "POST {path}");
    }
    let wrong = world.admin(Method::DELETE, "/items/1118", None).await;
    assert_eq!(wrong.header("allow"), "GET,HEAD");
    check(
        &wrong,
        expect![[r#"
        {
          "detail": "The header `Allow` lists the methods that it takes.",
          "status": 405,
          "title": "This address does not take this method",
          "type": "urn:fencepost:problem:method-not-allowed"
        }"#]],
    );
    assert_eq!(world.admin(Method::GET, "/pause", None).await.header("allow"), "POST");
    check(
        &world.admin(Method::GET, "/items?before=junk", None).await,
        expect![[r#"
        {
          "detail": "\"junk\" is not a date between 2000-01-01 and 2199-12-31 written YYYY-MM-DD",
          "parameter": "before",
          "status": 400,
          "title": "A query parameter cannot be read",
          "type": "urn:fencepost:problem:invalid-query"
        }"#]],
    );
}

#[tokio::test]
async fn puzzles_that_the_bank_does_not_have() {
    let world = World::new().await;
    check(
        &world.admin(Method::GET, "/items/4711", None).await,
        expect![[r#"
        {
          "detail": "there is no puzzle 4711; import it first",
          "status": 404,
          "title": "There is no such puzzle",
          "type": "urn:fencepost:problem:unknown-puzzle"
        }"#]],
    );
    for action in ["withdraw", "reinstate", "republish"] {
        let answer = world.admin(Method::POST, &format!("/items/4711/{action}"), None).await;
        assert_eq!(answer.json()["type"], "urn:fencepost:problem:unknown-puzzle", "{action}");
    }
    let body = json!({ "due_at": "2026-12-01T00:00:00Z" });
    let answer = world.admin(Method::POST, "/items/4711/reschedule", Some(body)).await;
    assert_eq!(answer.json()["type"], "urn:fencepost:problem:unknown-puzzle");
}

#[tokio::test]
async fn due_instants_that_cannot_be() {
    let world = World::new().await;
    let reschedule =
        async |id: i64, body| world.admin(Method::POST, &format!("/items/{id}/reschedule"), Some(body)).await;
    check(
        &reschedule(1119, json!({ "due_at": "tomorrow" })).await,
        expect![[r#"
            {
              "detail": "\"tomorrow\" is not an instant: write RFC 3339 such as 2026-11-29T00:10:00Z, or milliseconds since 1970",
              "field": "due_at",
              "status": 422,
              "title": "The instant is not valid",
              "type": "urn:fencepost:problem:invalid-instant"
            }"#]],
    );
    for text in ["2026-11-29T01:00:00Z[UTC]", "2026-11-29T01:00:00+01:00[Europe/Berlin]"] {
        let answer = reschedule(1119, json!({ "due_at": text })).await;
        assert_eq!(answer.status.as_u16(), 422, "{text}");
        assert!(answer.json()["detail"].as_str().unwrap().contains("annotation"), "{}", answer.text());
    }
    check(
        &reschedule(1119, json!({ "due_at": 1_795_911_000 })).await,
        expect![[r#"
            {
              "detail": "1970-01-21T18:51:51Z does not lie between the years 2000 and 2199; instants are in milliseconds",
              "field": "due_at",
              "status": 422,
              "title": "The instant is not valid",
              "type": "urn:fencepost:problem:invalid-instant"
            }"#]],
    );
    check(
        &reschedule(1119, json!({ "due_at": 1.5 })).await,
        expect![[r#"
            {
              "column": 14,
              "detail": "an instant is RFC 3339 text or whole milliseconds since 1970 at line 1 column 14",
              "field": "due_at",
              "line": 1,
              "status": 400,
              "title": "The body is not the JSON that this address takes",
              "type": "urn:fencepost:problem:malformed-json"
            }"#]],
    );
    check(
        &reschedule(1119, json!({ "due_at": "2026-11-29T00:09:59.999Z" })).await,
        expect![[r#"
        {
          "detail": "an answer is not due before the end of play at 2026-11-29T00:10:00Z",
          "playable_until": 1795911000000,
          "status": 422,
          "title": "The answer would be out while its puzzle is still being played",
          "type": "urn:fencepost:problem:before-end-of-play"
        }"#]],
    );
    check(
        &reschedule(1118, json!({ "due_at": "2026-12-01T00:00:00Z" })).await,
        expect![[r#"
        {
          "detail": "the item was not moved: it is published and due at 2026-11-28T00:10:00Z; only what is not out yet can be moved",
          "item": {
            "attempts": 0,
            "blocked_reason": null,
            "due_at": 1795824600000,
            "next_attempt_at": 0,
            "state": "published"
          },
          "status": 409,
          "title": "The item was not moved",
          "type": "urn:fencepost:problem:not-moved"
        }"#]],
    );
    let stale = json!({ "due_at": "2026-12-01T00:00:00Z", "expected_due_at": "2026-11-30T00:00:00Z" });
    assert_eq!(reschedule(1119, stale).await.status.as_u16(), 409);
    for body in [json!({}), json!({ "due_at": null }), json!({ "due_at": 1, "when": 2 })] {
        assert_eq!(reschedule(1119, body.clone()).await.status.as_u16(), 400, "{body}");
    }
}

#[tokio::test]
async fn whoever_misspells_a_dry_run_gets_no_real_one() {
    let world = World::new().await;
    world.clock.set("2026-11-29T00:10:00Z".parse().unwrap());
    let before = world.admin(Method::GET, "/status", None).await.json();
    for query in ["dry_run", "dry_run=1", "dry_run=yes", "dry-run=true", "dry_run=true&x", "dryrun=true", "x"]
    {
        let refused = world.admin(Method::POST, &format!("/jobs/publish?{query}"), None).await;
        assert_eq!(refused.status.as_u16(), 400, "{query}");
        assert_eq!(refused.json()["parameter"], "dry_run", "{query}");
    }
    assert_eq!(world.admin(Method::GET, "/status", None).await.json(), before);
}

#[tokio::test]
async fn the_fields_of_an_object_are_not_taken_off_a_list() {
    let world = World::new().await;
    for (path, body) in [
        (format!("/items/{PUBLISHED}/withdraw"), json!(["published", 1])),
        ("/quota".to_owned(), json!([7])),
        ("/policy".to_owned(), json!([false, null])),
        ("/puzzles".to_owned(), json!([[row(1, "2026-11-21", "Lamp", None)]])),
    ] {
        let answer = world.admin(Method::POST, &path, Some(body)).await;
        let problem = answer.json();
        assert_eq!(
            (answer.status.as_u16(), &problem["type"]),
            (400, &json!("urn:fencepost:problem:malformed-json")),
            "{path}"
        );
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("invalid type: array, expected an object"), "{path}: {detail}");
    }
}
