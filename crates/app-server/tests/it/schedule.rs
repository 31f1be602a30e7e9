//! Answers come out at their instant, by whichever process.

use serde_json::json;

use crate::{
    bank::{bank, november, row},
    harness::{Place, millis, until},
};

/// How late the last of the published pages was, in milliseconds.
async fn latest_ms(place: &Place) -> i64 {
    place
        .number(
            "SELECT max(published_at - due_at) FROM answer_posts JOIN publication_items USING (puzzle_id)",
        )
        .await
}

#[tokio::test]
async fn an_answer_comes_out_at_its_instant() {
    let place = Place::at("2026-11-29T00:09:57Z").await;
    place.import(&bank([row(1, "2026-11-28"), row(2, "2026-11-29")])).await;
    let server = place.serve(&[]).await;
    assert_eq!(place.number("SELECT count(*) FROM answer_posts").await, 0);
    until("the answer", async || place.number("SELECT count(*) FROM answer_posts").await == 1).await;
    let late = latest_ms(&place).await;
    // In an idle machine it is a few milliseconds.
    assert!((0..500).contains(&late), "published {late} ms after it was due");
    let log = server.log();
    assert!(log.contains("published the answer: /answers/1"), "{log}");
    server.stop().await;
}

#[tokio::test]
async fn a_running_server_notices_what_another_process_imports() {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    let server = place.serve(&[]).await;
    place.import(&bank(november(3))).await;
    until("three answers", async || server.read("/status").await["published"] == 3).await;
    server.stop().await;
}

#[tokio::test]
async fn without_cron_nothing_runs_by_itself_and_the_api_runs_jobs() {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    place.import(&bank(november(3))).await;
    let server = place.serve(&["--no-cron"]).await;
    tokio::time::sleep(std::time::Duration::from_millis(1_500)).await;
    assert_eq!(place.number("SELECT count(*) FROM job_runs").await, 0);
    let report = server.post("/jobs/publish", &json!({})).await;
    assert_eq!(report["counts"], json!({"published": 3}));
    server.stop().await;
}

#[tokio::test]
async fn work_that_cannot_be_done_is_not_tried_in_a_busy_loop() {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    place.import(&bank(november(3))).await;
    let server = place.serve(&["--daily-quota", "1"]).await;
    until("one answer", async || server.read("/status").await["published"] == 1).await;
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    let runs = place.number("SELECT count(*) FROM job_runs").await;
    assert!(runs < 10, "{runs} runs in three seconds");
    let log = server.log();
    assert_eq!(log.matches("left alone").count(), 1, "{log}");
    server.stop().await;
}

#[tokio::test]
async fn a_store_that_fails_is_told_once_and_asked_until_it_works() {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    let server = place.serve(&[]).await;
    until("the first run", async || place.number("SELECT count(finished_at) FROM job_runs").await == 1).await;
    place.execute("ALTER TABLE job_runs RENAME TO elsewhere").await;
    place.import(&bank(november(3))).await;
    until("a complaint", async || server.log().contains("no job can run")).await;
    tokio::time::sleep(std::time::Duration::from_millis(1_500)).await;
    assert_eq!(server.get("/answers").await.status(), 200, "readers need no jobs");
    place.execute("ALTER TABLE elsewhere RENAME TO job_runs").await;
    until("three answers", async || place.number("SELECT count(*) FROM answer_posts").await == 3).await;
    let ended = server.stop().await;
    assert_eq!(ended.stderr.matches("no job can run").count(), 1, "{}", ended.stderr);
    assert_eq!(ended.stderr.matches("the store answers again").count(), 1, "{}", ended.stderr);
}

#[tokio::test]
async fn four_servers_publish_twenty_five_answers_of_one_instant_within_a_second() {
    let place = Place::at("2026-11-28T12:00:00Z").await;
    place.import(&bank(november(25))).await;
    let admin = place.serve(&["--no-cron"]).await;
    let due = place.now().await + 6_000;
    for id in 1..=25 {
        let moved = json!({ "due_at": due });
        admin.post(&format!("/items/{id}/reschedule"), &moved).await;
    }
    let servers =
        [place.serve(&[]).await, place.serve(&[]).await, place.serve(&[]).await, place.serve(&[]).await];
    assert!(place.now().await < due, "the machine is too slow to start four servers in six seconds");
    until("every answer", async || place.number("SELECT count(*) FROM answer_posts").await == 25).await;
    let late = latest_ms(&place).await;
    assert!(late < 1_000, "the last one came {late} ms after it was due");
    assert_eq!(place.number("SELECT publication_revision FROM site_state").await, 25);
    assert_eq!(place.number("SELECT max(content_version) FROM answer_posts").await, 1);
    for server in servers {
        let ended = server.stop().await;
        assert!(!ended.stderr.contains("ERROR"), "{}", ended.stderr);
    }
    admin.stop().await;
    assert_eq!(place.run(&["verify"]).await.code, Some(0));
}

#[tokio::test]
async fn the_clock_of_the_place_is_the_clock_of_its_processes() {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    place.import(&bank([row(1, "2026-11-28")])).await;
    let told = place.run(&["status", "--json"]).await.json()["now"].as_i64().unwrap();
    let wanted = millis("2026-11-29T12:00:00Z").await;
    assert!((0..20_000).contains(&(told - wanted)), "{told} instead of {wanted}");
}
