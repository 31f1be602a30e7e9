//! The demo: something to see within seconds, and the same again tomorrow.

use reqwest::StatusCode;
use serde_json::json;

use crate::harness::{Place, Server, until};

/// Tables in which a start leaves a trace even if it changes nothing.
const TRACES: [&str; 1] = ["job_runs"];

/// Starts the demo as a fresh clone does: no command, nothing but a free port.
async fn start(place: &Place) -> Server {
    place.start(&["--listen", "127.0.0.1:0"]).await
}

async fn published(server: &Server) -> i64 {
    server.read("/status").await["published"].as_i64().unwrap()
}

#[tokio::test]
async fn a_fresh_start_publishes_six_pages_with_photos_and_a_restart_changes_nothing() {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    let server = start(&place).await;
    until("six answers", async || published(&server).await == 6).await;
    until("the photo of today's puzzle", async || place.stored_photos() == 7).await;
    for id in 1116..=1121 {
        let page = server.get(&format!("/answers/{id}")).await;
        assert_eq!(page.status(), StatusCode::OK, "answer {id}");
        let html = page.text().await.unwrap();
        let key = html.split("/images/").nth(1).and_then(|rest| rest.split('"').next()).unwrap().to_owned();
        let photo = server.get(&format!("/images/{key}")).await;
        assert_eq!(photo.status(), StatusCode::OK, "photo of {id}");
        assert_eq!(photo.headers()["content-type"], "image/webp");
    }
    assert_eq!(server.get("/").await.status(), StatusCode::OK);
    assert_eq!(server.get("/answers/1122").await.status(), StatusCode::NOT_FOUND, "today's answer is out");
    let ended = server.stop().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(!ended.stderr.contains("ERROR") && !ended.stderr.contains("WARN"), "{}", ended.stderr);
    assert_eq!(place.run(&["verify"]).await.code, Some(0));

    let before = place.dump(&TRACES).await;
    let server = start(&place).await;
    until("a second catching up", async || {
        place.number("SELECT count(finished_at) FROM job_runs").await == 2
    })
    .await;
    server.stop().await;
    assert_eq!(place.dump(&TRACES).await, before);
}

#[tokio::test]
async fn previews_work_without_any_setting() {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    let server = start(&place).await;
    let link = server.post("/items/1122/preview", &json!({})).await;
    let path = link["url"].as_str().unwrap().strip_prefix(server.url()).unwrap().to_owned();
    let page = server.get(&path).await;
    assert_eq!(page.status(), StatusCode::OK);
    assert_eq!(page.headers()["cache-control"], "private, no-store");
    server.stop().await;
}

#[tokio::test]
async fn a_later_start_adds_the_days_that_are_missing_and_undoes_no_edit() {
    let mut place = Place::at("2026-11-29T12:00:00Z").await;
    let server = start(&place).await;
    until("six answers", async || published(&server).await == 6).await;
    server.stop().await;
    place.execute("UPDATE puzzles SET name = 'Edited', bank_version = 2 WHERE puzzle_id = 1124").await;

    place.set_time("2026-12-01T12:00:00Z").await;
    let server = start(&place).await;
    until("two more answers", async || published(&server).await == 8).await;
    server.stop().await;
    assert_eq!(place.number("SELECT count(*) FROM puzzles").await, 16);
    assert_eq!(
        place.number("SELECT count(*) FROM puzzles WHERE name = 'Edited' AND bank_version = 2").await,
        1
    );
    assert_eq!(place.number("SELECT count(*) FROM puzzles WHERE bank_version <> 1").await, 1);
}

#[tokio::test]
async fn six_answers_come_out_in_the_minutes_after_midnight_as_well() {
    let place = Place::at("2026-11-29T00:03:00Z").await;
    let server = start(&place).await;
    until("six answers", async || published(&server).await == 6).await;
    server.stop().await;
}

#[tokio::test]
async fn a_start_without_a_token_makes_one_and_tells_how_to_use_it() {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    let mut child =
        place.command(&["--listen", "127.0.0.1:0"]).env_remove("FENCEPOST_ADMIN_TOKEN").spawn().unwrap();
    let mut lines = crate::harness::lines(child.stderr.take().unwrap());
    let line = crate::harness::in_time("the token", async {
        loop {
            let line = lines.next_line().await.unwrap().unwrap();
            if line.contains("curl -H") {
                break line;
            }
        }
    })
    .await;
    let command = &line[line.find("curl").unwrap()..];
    let token = command.split("Bearer ").nth(1).and_then(|rest| rest.split('\'').next()).unwrap();
    assert_eq!(token.len(), 32, "{command}");
    let url = command.rsplit(' ').next().unwrap();
    let status = async |token: &str| {
        let request = crate::harness::client().get(url).bearer_auth(token);
        crate::harness::in_time("an answer", request.send()).await.unwrap().status()
    };
    assert_eq!(status(token).await, StatusCode::OK);
    assert_eq!(status("another").await, StatusCode::UNAUTHORIZED);
    child.kill().await.unwrap();
}

#[tokio::test]
async fn the_demo_has_a_folder_of_its_own() {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    let mut child = place
        .command(&["serve", "--demo", "--listen", "127.0.0.1:0"])
        .env_remove("FENCEPOST_DATABASE")
        .env_remove("FENCEPOST_BLOBS")
        .spawn()
        .unwrap();
    let mut lines = crate::harness::lines(child.stdout.take().unwrap());
    crate::harness::in_time("the address", lines.next_line()).await.unwrap();
    assert!(place.path().join(".fencepost-demo/fencepost.db").is_file());
    assert!(place.path().join(".fencepost-demo/blobs").is_dir());
    assert!(!place.database().exists());
    child.kill().await.unwrap();
}
