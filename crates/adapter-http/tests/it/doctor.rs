//! `/admin/api/doctor`: each thing that can be wrong, planted once.

use std::{collections::BTreeMap, sync::Arc};

use axum::http::Method;
use fencepost_adapter_http::AdminToken;
use fencepost_application::Stop;
use fencepost_domain::time::UnixMillis;
use fencepost_ports::{
    BlobError, Job, Schema, StoreError,
    mock::{MockBlobStore, MockVerifier},
};
use serde_json::{Value, json};

use crate::{
    failing::Failing,
    world::{SECRET, World, row},
};

/// A token that nobody guesses; a proper one has as many characters as a secret.
const STRONG: &str = SECRET;

/// A site at which there is nothing to complain of.
async fn healthy() -> World {
    let mut world = World::new().await;
    world.site.run_job(Job::Compensate, &Stop::default()).await.unwrap();
    world.config.admin_token = Some(AdminToken::new(STRONG).unwrap());
    world
}

async fn ask(world: &World, query: &str) -> Value {
    let authorization = format!("Bearer {STRONG}");
    let path = format!("/admin/api/doctor{query}");
    let answer = world.get_with(&path, &[("authorization", &authorization)]).await;
    assert_eq!(answer.status.as_u16(), 200, "a finding is no failure of the request: {answer:?}");
    answer.json()
}

/// What is not well, by its name; checks that everything that is not comes with a remedy.
async fn complaints(world: &World, query: &str) -> BTreeMap<String, (String, String)> {
    let told = ask(world, query).await;
    let checks = told["checks"].as_array().unwrap();
    let mut complaints = BTreeMap::new();
    for check in checks {
        let word = |member: &str| check[member].as_str().map(str::to_owned);
        let (name, status, found) = (word("name").unwrap(), word("status").unwrap(), word("found").unwrap());
        assert_eq!(word("remedy").is_none(), status == "ok", "{check}");
        if status != "ok" {
            assert!(complaints.insert(name, (status, found)).is_none(), "{check} is told twice");
        }
    }
    assert_eq!(told["ok"], json!(complaints.values().all(|(status, _)| status != "failure")), "{told}");
    complaints
}

/// Expects one complaint.
async fn check(world: &World, query: &str, name: &str, status: &str, words: &str) {
    let complaints = complaints(world, query).await;
    let (told, found) = complaints.get(name).unwrap_or_else(|| panic!("no {name}: {complaints:?}"));
    assert_eq!((told.as_str(), complaints.len()), (status, 1), "{complaints:?}");
    assert!(found.contains(words), "{found}");
}

#[tokio::test]
async fn a_healthy_site_has_no_complaints() {
    let mut world = healthy().await;
    assert_eq!(complaints(&world, "").await, BTreeMap::new());
    let names = |told: &Value| {
        let checks = told["checks"].as_array().unwrap();
        checks.iter().map(|check| check["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let usual = ["schema", "heartbeat", "admin_token", "secret", "origin", "clock", "photo_store"];
    assert_eq!(names(&ask(&world, "").await), usual);
    let clock = world.clock.clone();
    world.config.host_now = Some(Arc::new(move || clock.now().plus(-2_000)));
    world.config.cache_host = Some("prices.example".to_owned());
    assert_eq!(complaints(&world, "?photos=false").await, BTreeMap::new());
    assert_eq!(names(&ask(&world, "").await).last().map(String::as_str), Some("edge_cache"));
    let before = world.admin(Method::GET, "/status", None).await;
    assert_eq!(world.blobs.keys().len(), 3, "nothing was left behind: {before:?}");
}

#[tokio::test]
async fn tables_of_another_version_are_told() {
    for (schema, status, words) in [
        (
            Schema { missing: vec!["0004_x.sql".to_owned()], unknown: vec![] },
            "failure",
            "lacks the migrations 0004_x.sql",
        ),
        (
            Schema { missing: vec![], unknown: vec!["9999_y.sql".to_owned()] },
            "warning",
            "does not know: 9999_y.sql",
        ),
    ] {
        let mut world = healthy().await;
        let mut verifier = MockVerifier::new();
        verifier.expect_schema().return_once(|| Ok(schema));
        world.config.site.stores.verifier = Arc::new(verifier);
        check(&world, "", "schema", status, words).await;
    }
}

#[tokio::test]
async fn jobs_that_nobody_starts_are_a_failure() {
    let world = healthy().await;
    world.clock.advance(2 * 3_600_000 + 1);
    check(&world, "", "heartbeat", "failure", "`compensate`").await;

    let mut fresh = World::empty();
    fresh.config.admin_token = Some(AdminToken::new(STRONG).unwrap());
    check(&fresh, "", "heartbeat", "warning", "No run of a job has ended yet").await;
    fresh.import(json!([row(7, "2026-11-28", "Clock", None)])).await;
    check(&fresh, "", "heartbeat", "failure", "No job has ever run").await;
}

#[tokio::test]
async fn a_token_that_may_be_guessed_is_a_failure() {
    let world = healthy().await;
    let weak = World { config: world.config.clone(), ..World::new().await };
    let mut config = weak.config.clone();
    config.admin_token = Some(AdminToken::new(&STRONG[..31]).unwrap());
    let weak = World { config, ..weak };
    let authorization = format!("Bearer {}", &STRONG[..31]);
    let told = weak.get_with("/admin/api/doctor", &[("authorization", &authorization)]).await.json();
    let check =
        told["checks"].as_array().unwrap().iter().find(|check| check["name"] == "admin_token").unwrap();
    assert_eq!((&check["status"], &told["ok"]), (&json!("failure"), &json!(false)), "{told}");
}

#[tokio::test]
async fn settings_that_are_missing_are_warnings() {
    let mut world = healthy().await;
    world.config.secret = None;
    check(&world, "", "secret", "warning", "no daily game").await;
    let mut world = healthy().await;
    world.config.origin = None;
    check(&world, "", "origin", "warning", "no feed").await;
}

#[tokio::test]
async fn clocks_that_disagree_are_a_warning() {
    for ahead_ms in [2_001, -2_001] {
        let mut world = healthy().await;
        let clock = world.clock.clone();
        world.config.host_now = Some(Arc::new(move || -> UnixMillis { clock.now().plus(ahead_ms) }));
        check(&world, "", "clock", "warning", &format!("{ahead_ms} ms ahead")).await;
    }
}

#[tokio::test]
async fn a_store_of_photos_that_takes_nothing_is_a_failure() {
    let mut world = healthy().await;
    let mut blobs = MockBlobStore::new();
    blobs.expect_probe().return_once(|| Err(BlobError::Failed("the bucket is not there".to_owned())));
    world.config.site.blobs = Arc::new(blobs);
    check(&world, "", "photo_store", "failure", "the bucket is not there").await;
}

#[tokio::test]
async fn a_host_under_which_the_platform_keeps_nothing_is_a_warning() {
    for host in ["workers.dev", "site.somebody.workers.dev"] {
        let mut world = healthy().await;
        world.config.cache_host = Some(host.to_owned());
        check(&world, "", "edge_cache", "warning", host).await;
    }
    let mut world = healthy().await;
    world.config.cache_host = Some("notworkers.dev".to_owned());
    assert_eq!(complaints(&world, "").await, BTreeMap::new());
}

#[tokio::test]
async fn hosts_of_photos_are_asked_only_for_what_is_needed_next_and_only_on_demand() {
    let world = healthy().await;
    // Tomorrow's photo is to be had; that of the day after is nobody's business yet.
    world.import(json!([row(1121, "2026-11-30", "Stove", Some("stove"))])).await;
    assert_eq!(complaints(&world, "?photos=true").await, BTreeMap::new());
    world.import(json!([row(1120, "2026-11-29", "Stove", Some("stove"))])).await;
    assert_eq!(complaints(&world, "").await, BTreeMap::new(), "nobody was asked");
    check(&world, "?photos=true", "photo_hosts", "failure", "puzzle 1120: 503 Service Unavailable").await;
    let answer = world
        .get_with("/admin/api/doctor?photos=yes", &[("authorization", &format!("Bearer {STRONG}"))])
        .await;
    assert_eq!(answer.status.as_u16(), 400);
}

#[tokio::test]
async fn a_database_that_does_not_answer_is_a_finding_of_each_check_that_asked_it() {
    let mut world = healthy().await;
    let failing = || Arc::new(Failing(StoreError::unknown("Network connection lost.")));
    world.config.site.stores.verifier = failing();
    world.config.site.stores.revisions = failing();
    world.config.host_now = Some(Arc::new(|| UnixMillis::new(0)));
    let complaints = complaints(&world, "").await;
    assert_eq!(complaints.keys().collect::<Vec<_>>(), ["clock", "schema"]);
    assert!(complaints.values().all(|(status, found)| status == "failure" && found.contains("Network")));
}
