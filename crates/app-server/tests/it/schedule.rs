//! Answers come out at their instant, by whichever process.

use serde_json::json;

use crate::{
    bank::{bank, november, row},
    harness::{Place, alone, at_most, millis, until},
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
    let _turn = alone().await;
    let place = Place::at("2026-11-29T00:09:57Z").await;
    place.import(&bank([row(1, "2026-11-28"), row(2, "2026-11-29")])).await;
    let server = place.serve(&[]).await;
    assert_eq!(place.number("SELECT count(*) FROM answer_posts").await, 0);
    until("the answer", async || place.number("SELECT count(*) FROM answer_posts").await == 1).await;
    let late = latest_ms(&place).await;
    // In an idle machine it is a few milliseconds.
    assert!((0..at_most(500)).contains(&late), "published {late} ms after it was due");
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
    let report = server.post("/jobs/publish", &json!({})).await;
    assert_eq!(report["counts"], json!({"published": 3}));
    server.stop().await;
    assert_eq!(place.number("SELECT count(*) FROM job_runs").await, 1);
}

#[tokio::test]
async fn work_that_cannot_be_done_is_told_once_and_waits_without_a_run_until_it_can() {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    place.import(&bank(november(3))).await;
    let server = place.serve(&["--daily-quota", "1"]).await;
    until("a word about it", async || server.log().contains("left alone")).await;
    assert_eq!(server.read("/status").await["published"], 1);

    let higher = place.serve(&["--daily-quota", "3"]).await;
    until("every answer", async || server.read("/status").await["published"] == 3).await;
    higher.stop().await;
    let runs = place.number("SELECT count(*) FROM job_runs").await;
    // One that met with the quota, one at the second start, and what either saw of the other.
    assert!(runs < 10, "{runs} runs");
    let ended = server.stop().await;
    assert_eq!(ended.stderr.matches("today's quota is used up").count(), 1, "{}", ended.stderr);
    assert_eq!(ended.stderr.matches("left alone").count(), 1, "{}", ended.stderr);
}

#[tokio::test]
async fn a_pause_that_keeps_answers_back_is_told_once_and_so_is_its_end() {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    place.import(&bank(november(3))).await;
    let admin = place.serve(&["--no-cron"]).await;
    admin.post("/pause", &json!({})).await;
    let server = place.serve(&[]).await;
    until("a word about it", async || server.log().contains("the site is paused")).await;
    admin.post("/resume", &json!({})).await;
    until("three answers", async || admin.read("/status").await["published"] == 3).await;
    until("a word about it", async || server.log().contains("the pause is over")).await;
    let ended = server.stop().await;
    assert_eq!(ended.stderr.matches("the site is paused").count(), 1, "{}", ended.stderr);
    assert_eq!(ended.stderr.matches("the pause is over").count(), 1, "{}", ended.stderr);
    admin.stop().await;
}

#[tokio::test]
async fn a_store_that_fails_is_told_once_and_asked_until_it_works() {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    let server = place.serve(&["--log", "info,fencepost=debug"]).await;
    until("the first run", async || place.number("SELECT count(finished_at) FROM job_runs").await == 1).await;
    place.execute("ALTER TABLE job_runs RENAME TO elsewhere").await;
    place.import(&bank(november(3))).await;
    until("a complaint", async || server.log().contains("no job can run")).await;
    until("another try", async || server.log().contains("still no job")).await;
    assert_eq!(server.get("/answers").await.status(), 200, "readers need no jobs");
    place.execute("ALTER TABLE elsewhere RENAME TO job_runs").await;
    until("three answers", async || place.number("SELECT count(*) FROM answer_posts").await == 3).await;
    let ended = server.stop().await;
    assert_eq!(ended.stderr.matches(" no job can run: ").count(), 1, "{}", ended.stderr);
    assert_eq!(ended.stderr.matches("the store answers again").count(), 1, "{}", ended.stderr);
}

#[tokio::test]
async fn the_clock_of_the_place_is_the_clock_of_its_processes() {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    place.import(&bank([row(1, "2026-11-28")])).await;
    let told = place.run(&["status", "--json"]).await.json()["now"].as_i64().unwrap();
    let wanted = millis("2026-11-29T12:00:00Z").await;
    assert!((0..20_000).contains(&(told - wanted)), "{told} instead of {wanted}");
}
