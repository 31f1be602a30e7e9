//! Links to previews, across processes.

use reqwest::Method;
use serde_json::json;

use crate::{
    bank::{bank, row},
    harness::Place,
};

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const OTHER: &str = "fedcba9876543210fedcba9876543210";

#[tokio::test]
async fn a_link_works_at_every_process_with_the_same_secret_and_nowhere_else() {
    let place = Place::at("2026-11-28T12:00:00Z").await;
    place.import(&bank([row(7, "2026-12-24")])).await;
    let one = place.serve(&["--no-cron", "--secret", SECRET]).await;
    let two = place.serve(&["--no-cron", "--secret", SECRET]).await;
    let stranger = place.serve(&["--no-cron", "--secret", OTHER]).await;
    let without = place.serve(&["--no-cron"]).await;

    let link = one.post("/items/7/preview", &json!({ "valid_seconds": 3_600 })).await;
    let path = link["url"].as_str().unwrap().strip_prefix(one.url()).unwrap().to_owned();
    for server in [&one, &two] {
        let page = server.get(&path).await;
        assert_eq!(page.status().as_u16(), 200);
        assert_eq!(page.headers()["cache-control"], "private, no-store");
        assert!(page.text().await.unwrap().contains("About <em>thing</em> 7."));
    }
    for server in [&stranger, &without] {
        let page = server.get(&path).await;
        assert_eq!(page.status().as_u16(), 404);
        assert_eq!(page.text().await.unwrap(), server.get("/nope").await.text().await.unwrap());
    }
    let refused = without.admin(Method::POST, "/items/7/preview", None).await;
    assert_eq!(refused.status().as_u16(), 409);
    assert!(refused.text().await.unwrap().contains("FENCEPOST_SECRET"));
    for server in [one, two, stranger, without] {
        let ended = server.stop().await;
        assert!(![SECRET, OTHER].iter().any(|secret| ended.stderr.contains(secret)), "{}", ended.stderr);
    }
}
