//! The command `doctor`: each thing that can be wrong on a machine, planted once.

use std::fs;

use serde_json::Value;

use crate::{
    bank::{bank, november, row_with_photo},
    harness::{Ended, Place},
    image_server::ImageServer,
};

const STRONG: [&str; 4] =
    ["--admin-token", "0123456789abcdef0123456789abcdef", "--secret", "a-secret-of-at-least-32-characters"];

/// The real time, since a shifted clock is a finding.
async fn healthy() -> Place {
    let place = Place::new();
    place.import(&bank(november(2))).await;
    place.succeed(&["run", "compensate"]).await;
    place.succeed(&["run", "publish"]).await;
    place
}

async fn ask(place: &Place, options: &[&str]) -> Ended {
    place.run(&[&["doctor", "--json"], options].concat()).await
}

/// What is not well, by name, status and words.
fn complaints(told: &Value) -> Vec<[String; 3]> {
    let word = |check: &Value, member: &str| check[member].as_str().unwrap().to_owned();
    let checks = told["checks"].as_array().unwrap().iter().filter(|check| check["status"] != "ok");
    checks.map(|check| ["name", "status", "found"].map(|member| word(check, member))).collect()
}

/// Expects these complaints and the code that goes with them.
async fn check(place: &Place, options: &[&str], expected: &[[&str; 3]]) {
    expect(&ask(place, options).await, expected);
}

fn expect(ended: &Ended, expected: &[[&str; 3]]) {
    let found = complaints(&ended.json());
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for [name, status, words] in expected {
        let is_it = |it: &&[String; 3]| it[0] == *name && it[1] == *status && it[2].contains(words);
        assert!(found.iter().any(|it| is_it(&it)), "no {name}, {status}, {words:?} in {found:?}");
    }
    let fails = expected.iter().any(|[_, status, _]| *status == "failure");
    assert_eq!((ended.code, ended.json()["ok"].clone()), (Some(i32::from(fails)), Value::Bool(!fails)));
}

const NO_ORIGIN: [&str; 3] = ["origin", "warning", "does not know its address"];

#[tokio::test]
async fn a_healthy_place_is_left_as_it_is() {
    let place = healthy().await;
    let (before, files) = (place.dump(&[]).await, place.files_of_photos());
    check(&place, &STRONG, &[NO_ORIGIN]).await;
    let said = place.succeed(&[&["doctor"][..], &STRONG].concat()).await;
    assert!(said.contains("ok       schema: The tables are those of this version."), "{said}");
    assert!(said.contains("warning  origin: ") && said.contains("         Set FENCEPOST_ORIGIN"), "{said}");
    assert_eq!((place.dump(&[]).await, place.files_of_photos()), (before, files));
    assert!(!place.blobs().exists(), "no folder is made for a probe");
}

#[tokio::test]
async fn settings_that_are_missing_or_weak_are_told() {
    let place = healthy().await;
    let missing =
        [NO_ORIGIN, ["admin_token", "warning", "no admin token"], ["secret", "warning", "no secret"]];
    let mut bare = place.command(&["doctor", "--json"]);
    bare.env_remove("FENCEPOST_ADMIN_TOKEN");
    let told = Ended::of(bare.spawn().unwrap()).await;
    expect(&told, &missing);
    let weak = ["--admin-token", "hunter2", "--secret", "short"];
    let told = [NO_ORIGIN, ["admin_token", "failure", "fewer than 32"], ["secret", "failure", "at least 32"]];
    check(&place, &weak, &told).await;
    let odd = ["--admin-token", "two words", STRONG[2], STRONG[3]];
    check(&place, &odd, &[NO_ORIGIN, ["admin_token", "failure", "not one word"]]).await;
    assert!(!ask(&place, &weak).await.stdout.contains("hunter2"), "a token is not told");
}

#[tokio::test]
async fn jobs_that_stopped_are_told() {
    let mut place = healthy().await;
    place.let_pass(2 * 3_600_000 + 60_000);
    let told = [
        NO_ORIGIN,
        ["heartbeat", "failure", "`compensate`"],
        ["clock", "warning", "is shifted by 7260000 ms"],
    ];
    check(&place, &STRONG, &told).await;
}

#[tokio::test]
async fn a_database_of_another_version_is_told_and_not_touched() {
    let place = healthy().await;
    place.execute("INSERT INTO d1_migrations (name) VALUES ('9999_from_the_future.sql')").await;
    check(&place, &STRONG, &[["schema", "failure", "9999_from_the_future.sql"]]).await;
    place.execute("DELETE FROM d1_migrations WHERE name LIKE '9999%' OR name LIKE '0004%'").await;
    check(&place, &STRONG, &[["schema", "failure", "0004_result_tallies.sql"]]).await;
    let rows = place.number("SELECT count(*) FROM d1_migrations").await;
    check(&place, &STRONG, &[["schema", "failure", "0004_result_tallies.sql"]]).await;
    assert_eq!(place.number("SELECT count(*) FROM d1_migrations").await, rows, "nothing was applied");
}

#[tokio::test]
async fn a_folder_of_photos_that_cannot_be_used_is_told() {
    let place = healthy().await;
    fs::write(place.blobs(), "a file in the place of the folder").unwrap();
    check(&place, &STRONG, &[NO_ORIGIN, ["photo_store", "failure", "cannot use"]]).await;
}

#[tokio::test]
async fn photos_are_asked_for_on_demand() {
    let place = healthy().await;
    let images = ImageServer::start().await;
    let today = place.rows("SELECT date('now')").await[0].trim_matches('"').to_owned();
    let mut bank = bank(november(0));
    bank["puzzles"].as_array_mut().unwrap().push(row_with_photo(7, &today, &images.photo("missing.png")));
    place.import(&bank).await;
    check(&place, &STRONG, &[NO_ORIGIN]).await;
    let asked = [&STRONG[..], &["--photos"]].concat();
    check(&place, &asked, &[NO_ORIGIN, ["photo_hosts", "failure", "puzzle 7: "]]).await;
}

#[tokio::test]
async fn the_public_address_is_asked_for_a_cache_in_front_of_it() {
    let place = healthy().await;
    let server = place.serve(&["--no-cron"]).await;
    let origin = server.url().to_owned();
    let options = [&STRONG[..], &["--origin", &origin]].concat();
    check(&place, &options, &[]).await;
    drop(server);
    check(&place, &options, &[["front_cache", "warning", "could not be asked"]]).await;
}
