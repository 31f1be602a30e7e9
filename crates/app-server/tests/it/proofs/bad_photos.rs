//! Photos that cannot be had keep nobody else waiting, and say why.

use serde_json::{Value, json};

use crate::{
    bank::{bank, row, row_with_photo},
    harness::{Launched, Place},
    image_server::ImageServer,
};

const GOOD: i64 = 100;

/// What becomes of an item with the photo at `url`, beside one that is fine.
async fn publish(place: &Place, url: &str, private: bool) -> Value {
    place.import(&bank([row_with_photo(1, "2026-11-01", url), row(GOOD, "2026-11-02")])).await;
    let mut command = place.command(&["serve", "--listen", "127.0.0.1:0", "--no-cron"]);
    command.env("FENCEPOST_ALLOW_PRIVATE_IMAGES", private.to_string());
    let server = Launched::of(command).ready().await;
    let report = server.post("/jobs/publish", &json!({})).await;
    assert_eq!(report["counts"], json!({"blocked": 1, "published": 1}), "{url}: {report}");
    assert_eq!(server.get("/answers/1").await.status(), 404, "{url}");
    assert_eq!(server.get(&format!("/answers/{GOOD}")).await.status(), 200, "{url}");
    let item = server.read("/items/1").await;
    server.stop().await;

    assert_eq!(place.stored_photos(), 0, "{url} left something behind");
    assert_eq!(place.rows("SELECT puzzle_id FROM answer_posts").await, [GOOD.to_string()], "{url}");
    let held = place.number("SELECT count(*) FROM job_leases WHERE expires_at <> 0").await;
    assert_eq!(held, 0, "{url}: a lease is still held");
    place.run(&["verify"]).await.assert_quiet();
    item
}

/// The photo will never come: the item waits for a person, who is told `words`.
async fn check_blocked(url: &str, private: bool, words: &[&str]) {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    let item = publish(&place, url, private).await;
    assert_eq!((&item["state"], &item["attempts"]), (&json!("blocked"), &json!(1)), "{url}: {item}");
    let reason = item["blocked_reason"].as_str().unwrap();
    for word in words.iter().chain(&["import again"]) {
        assert!(reason.contains(word), "{url}: no {word:?} in: {reason}");
    }
    let detail = item["blocked_by"][0]["detail"].as_str().unwrap();
    assert_eq!(detail, reason, "{url}");

    // Whoever mends the bank need not know how to lift a block.
    place.import(&bank([row(1, "2026-11-01")])).await;
    let report = place.run(&["run", "publish", "--json"]).await.json();
    assert_eq!(report["counts"], json!({"published": 1}), "{url}: {report}");
    place.run(&["verify"]).await.assert_quiet();
}

/// The photo may come later: the item is tried again, and people are told `words`.
async fn check_waits(url: &str, words: &[&str]) {
    let mut place = Place::at("2026-11-29T12:00:00Z").await;
    let item = publish(&place, url, true).await;
    assert_eq!((&item["state"], &item["attempts"]), (&json!("scheduled"), &json!(1)), "{url}: {item}");
    assert!(item["next_attempt_at"].as_i64().unwrap() > item["now"].as_i64().unwrap(), "{url}: {item}");
    let detail = item["blocked_by"].to_string();
    for word in words.iter().chain(&["the next run tries again"]) {
        assert!(detail.contains(word), "{url}: no {word:?} in: {detail}");
    }
    let early = place.run(&["run", "publish", "--json"]).await.json();
    assert_eq!(early["items"], json!([]), "{url}: tried again at once: {early}");
    place.let_pass(3_600_000);
    let late = place.run(&["run", "publish", "--json"]).await.json();
    assert_eq!(late["counts"], json!({"blocked": 1}), "{url}: {late}");
    assert_eq!(
        place.rows("SELECT state, attempts FROM publication_items WHERE puzzle_id = 1").await,
        ["scheduled 2"]
    );
}

#[tokio::test]
async fn a_photo_that_will_never_come_blocks_its_item_with_a_reason_and_no_other() {
    let images = ImageServer::start().await;
    check_blocked(&images.photo("missing.png"), true, &["missing.png", "404"]).await;
    check_blocked(&images.photo("huge.png"), true, &["huge.png", "8388608 bytes", "smaller"]).await;
    check_blocked(&images.photo("page.html"), true, &["page.html", "text/html", "not a photo"]).await;
    check_blocked(&images.photo("garbled.png"), true, &["garbled.png", "15 bytes", "PNG"]).await;
    check_blocked(&images.photo("circle"), true, &["circle", "redirects more than 3 times"]).await;
    check_blocked(&images.photo("file"), true, &["scheme file"]).await;
}

/// A redirect *from* a public address cannot be staged without a network. It is followed
/// by the same code, hop by hop, and held against the same check in `adapter-native`.
#[tokio::test]
async fn a_photo_at_a_private_address_is_not_even_asked_for() {
    let images = ImageServer::start().await;
    check_blocked(&images.photo("1.png"), false, &["1.png", "127.0.0.1", "private"]).await;
    let by_name = images.photo("1.png").replace("127.0.0.1", "localhost");
    check_blocked(&by_name, false, &["localhost", "private"]).await;
    assert_eq!(images.requests(), 0);
}

#[tokio::test]
async fn a_photo_that_may_come_later_lets_its_item_wait_and_no_other() {
    let images = ImageServer::start().await;
    check_waits(&images.photo("busy.png"), &["busy.png", "503"]).await;
    let gone = ImageServer::start().await;
    let url = gone.photo("1.png");
    drop(gone);
    check_waits(&url, &["1.png", "could not be connected to"]).await;
}
