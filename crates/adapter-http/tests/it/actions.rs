//! Who did what, when and why: by the API, and on the dashboard.

use axum::{body::Body, http::Method};
use serde_json::{Value, json};

use crate::world::{Answer, OVERDUE, PUBLISHED, TOKEN, World};

async fn post(world: &World, path: &str, headers: &[(&str, &str)], body: Option<Value>) -> Answer {
    let authorization = format!("Bearer {TOKEN}");
    let mut all = vec![("authorization", authorization.as_str())];
    all.extend(headers);
    if body.is_some() {
        all.push(("content-type", "application/json"));
    }
    let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
    world.send(Method::POST, &format!("/admin/api/{path}"), &all, body).await
}

async fn actions(world: &World, query: &str) -> Value {
    let answer = world.admin(Method::GET, &format!("/actions{query}"), None).await;
    assert_eq!(answer.status.as_u16(), 200, "{}", answer.text());
    serde_json::from_str(&answer.text()).unwrap()
}

#[tokio::test]
async fn an_action_tells_who_did_it_and_why() {
    let world = World::new().await;
    let headers = [("x-operator", "Zoë"), ("x-reason", "recalled by the maker")];
    let answer = post(&world, &format!("items/{PUBLISHED}/withdraw"), &headers, None).await;
    assert_eq!(answer.status.as_u16(), 200, "{}", answer.text());
    post(&world, "pause", &[], None).await;
    let told = actions(&world, "").await;
    let [pause, withdraw] = [&told["actions"][0], &told["actions"][1]];
    assert_eq!((&pause["actor"], &pause["action"]), (&json!("api"), &json!("pause")));
    assert_eq!((&pause["reason"], &pause["puzzle_id"]), (&json!(null), &json!(null)));
    assert_eq!((&withdraw["actor"], &withdraw["action"]), (&json!("Zoë"), &json!("withdraw")));
    assert_eq!(
        (&withdraw["reason"], &withdraw["puzzle_id"], &withdraw["detail"]["outcome"]),
        (&json!("recalled by the maker"), &json!(PUBLISHED), &json!("withdrawn"))
    );
    let rest = actions(&world, &format!("?before={}", pause["number"])).await;
    assert_eq!(rest["actions"][0]["token"], withdraw["token"]);
    let item = world.admin(Method::GET, &format!("/items/{PUBLISHED}"), None).await;
    let item: Value = serde_json::from_str(&item.text()).unwrap();
    let done = item["actions"].as_array().unwrap();
    assert_eq!(done.last().unwrap()["token"], withdraw["token"]);
    let receipts = item["history"].as_array().unwrap();
    assert_eq!(receipts.last().unwrap()["commit_token"], withdraw["token"]);
}

#[tokio::test]
async fn who_cannot_be_put_on_record_does_nothing() {
    let world = World::new().await;
    let long = "x".repeat(501);
    for headers in [[("x-operator", " ")], [("x-operator", &long[..41])], [("x-reason", long.as_str())]] {
        let before = actions(&world, "").await;
        let answer = post(&world, &format!("items/{PUBLISHED}/withdraw"), &headers, None).await;
        assert_eq!(answer.status.as_u16(), 400, "{headers:?}: {}", answer.text());
        assert!(answer.text().contains("urn:fencepost:problem:invalid-actor"), "{}", answer.text());
        assert_eq!(actions(&world, "").await, before);
    }
    for query in ["?before=x", "?after=1", "?before=1&x=2"] {
        let answer = world.admin(Method::GET, &format!("/actions{query}"), None).await;
        assert_eq!(answer.status.as_u16(), 400, "{query}");
    }
}

#[tokio::test]
async fn an_action_on_what_was_seen_otherwise_is_refused() {
    let world = World::new().await;
    let stale = json!({ "expected_state": "published", "expected_content_version": 7 });
    for action in ["withdraw", "republish"] {
        let path = format!("items/{PUBLISHED}/{action}");
        let answer = post(&world, &path, &[], Some(stale.clone())).await;
        assert_eq!(answer.status.as_u16(), 409, "{action}: {}", answer.text());
        let wrong = post(&world, &path, &[], Some(json!({ "expected": 7 }))).await;
        assert_eq!(wrong.status.as_u16(), 400, "{action}: {}", wrong.text());
    }
    assert_eq!(world.get(&format!("/answers/{PUBLISHED}")).await.status.as_u16(), 200);
}

#[tokio::test]
async fn the_quota_of_the_day_and_the_policy_are_set_for_all() {
    let world = World::new().await;
    let quota = post(&world, "quota", &[("x-operator", "Ada")], Some(json!({ "quota": 5 }))).await;
    let quota: Value = serde_json::from_str(&quota.text()).unwrap();
    assert_eq!((&quota["quota"], &quota["set_quota"]), (&json!(5), &json!(5)));
    let policy = json!({ "publish_late": false, "skip_older_than_seconds": 3600 });
    let policy = post(&world, "policy", &[("x-operator", "Ada")], Some(policy)).await;
    assert_eq!(policy.text(), r#"{"publish_late":false,"skip_older_than":3600000}"#);
    let status: Value =
        serde_json::from_str(&world.admin(Method::GET, "/status", None).await.text()).unwrap();
    assert_eq!(status["catch_up"], json!({ "publish_late": false, "skip_older_than": 3_600_000 }));
    assert_eq!(status["quota"]["set_quota"], 5);
    for (path, body, expected) in [
        ("quota", json!({ "quota": -1 }), 422),
        ("quota", json!({ "quota": 1_000_001 }), 422),
        ("quota", json!({}), 400),
        ("quota", json!({ "quota": null }), 200),
        ("policy", json!({ "publish_late": true }), 400),
        ("policy", json!({ "publish_late": true, "skip_older_than_seconds": 0 }), 422),
        ("policy", json!({ "publish_late": true, "skip_older_than_seconds": null }), 200),
    ] {
        let answer = post(&world, path, &[], Some(body.clone())).await;
        assert_eq!(answer.status.as_u16(), expected, "{path} {body}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_setting_that_was_seen_otherwise_is_refused_with_what_stands() {
    let world = World::new().await;
    let policy = |seconds: Option<i64>| json!({ "publish_late": true, "skip_older_than_seconds": seconds });
    let with = |mut body: Value, name: &str, seen: Value| {
        body[name] = seen;
        body
    };
    let quota = |quota: i64, seen: Option<i64>| json!({ "quota": quota, "expected_quota": seen });
    let young = with(policy(Some(5_400)), "expected", policy(None));
    let younger = with(policy(Some(60)), "expected", policy(None));
    for (path, body, expected) in [
        ("quota", quota(5, None), 200),
        ("quota", quota(9, None), 409),
        ("quota", quota(9, Some(4)), 409),
        ("quota", quota(5, Some(4)), 200),
        ("quota", json!({ "quota": 9, "expected_quota": "5" }), 400),
        ("policy", young.clone(), 200),
        ("policy", younger, 409),
        ("policy", young, 200),
        ("policy", with(policy(None), "expected", policy(Some(i64::MAX))), 409),
        ("policy", with(policy(None), "expected", json!(null)), 400),
        ("policy", with(policy(None), "expected", json!({ "publish_late": true })), 400),
    ] {
        let answer = post(&world, path, &[], Some(body.clone())).await;
        assert_eq!(answer.status.as_u16(), expected, "{path} {body}: {}", answer.text());
        if expected == 409 {
            let told: Value = serde_json::from_str(&answer.text()).unwrap();
            assert_eq!(told["type"], "urn:fencepost:problem:not-set");
            let stands = if path == "quota" { &told["quota"]["set_quota"] } else { &told["catch_up"] };
            let catch_up = json!({ "publish_late": true, "skip_older_than": 5_400_000 });
            assert_eq!(*stands, if path == "quota" { json!(5) } else { catch_up }, "{told}");
        }
    }
    let done = actions(&world, "").await;
    let done = done["actions"].as_array().unwrap().iter().map(|action| action["action"].as_str().unwrap());
    let set: Vec<_> = done.filter(|action| action.starts_with("set_")).collect();
    assert_eq!(set, ["set_policy", "set_quota"], "what was refused leaves no trace");
    assert_eq!(post(&world, "quota", &[], Some(quota(9, Some(5)))).await.status.as_u16(), 200);
}

#[tokio::test]
async fn only_what_is_not_out_is_retried() {
    let world = World::new().await;
    let answer = post(&world, &format!("items/{OVERDUE}/retry"), &[], None).await;
    assert_eq!(answer.status.as_u16(), 200, "{}", answer.text());
    let item: Value = serde_json::from_str(&answer.text()).unwrap();
    assert_eq!((&item["puzzle_id"], &item["state"]), (&json!(OVERDUE), &json!("scheduled")));
    let out = post(&world, &format!("items/{PUBLISHED}/retry"), &[], None).await;
    assert_eq!(out.status.as_u16(), 409, "{}", out.text());
    assert!(out.text().contains("urn:fencepost:problem:not-retried"));
    let unknown = post(&world, "items/4711/retry", &[], None).await;
    assert_eq!(unknown.status.as_u16(), 404);
}
