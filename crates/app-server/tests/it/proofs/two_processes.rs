//! Two processes, one database, the same instant.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    bank::{bank, row_with_photo},
    harness::{Ended, Place, Server, alone, in_time, rounds, until},
    image_server::ImageServer,
};

/// Finished puzzles. The seventh one is today's.
const FINISHED: [i64; 6] = [1, 2, 3, 4, 5, 6];
const TODAY: i64 = 7;

/// What every run leaves behind, whether it changes something or not: itself, and who wanted it.
const RUNS: [&str; 2] = ["job_runs", "operator_actions"];

/// A place with six answers due, a game open, and a photo of each.
async fn stocked(images: &ImageServer) -> Place {
    let place = Place::at("2026-11-28T12:00:00Z").await;
    let rows = (1..=TODAY).map(|id| {
        row_with_photo(id, &format!("2026-11-{:02}", 21 + id), &images.photo(&format!("{id}.png")))
    });
    place.import(&bank(rows)).await;
    place
}

/// Everything that two runs at once have to leave behind, and nothing else.
async fn check_published_once(place: &Place, images: &ImageServer, reports: [&Value; 2], round: usize) {
    let told = |report: &Value| {
        let items = report["items"].as_array().unwrap().clone();
        let published = items.into_iter().filter(|item| item["outcome"] == "published");
        published.map(|item| item["puzzle_id"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    let mut published = [told(reports[0]), told(reports[1])].concat();
    published.sort_unstable();
    assert_eq!(published, FINISHED, "round {round}: {reports:?}");

    let rows = async |sql: &str| place.rows(sql).await;
    let pages = rows("SELECT puzzle_id, content_version FROM answer_posts ORDER BY 1").await;
    assert_eq!(pages, FINISHED.map(|id| format!("{id} 1")), "round {round}");
    assert_eq!(rows("SELECT publication_revision FROM site_state").await, ["6"], "round {round}");
    let receipts = rows("SELECT revision, kind, content_version FROM commit_receipts ORDER BY 1").await;
    assert_eq!(receipts, FINISHED.map(|revision| format!("{revision} publish 1")), "round {round}");
    assert_eq!(rows("SELECT published FROM daily_quotas").await, ["6"], "round {round}");
    let items = rows("SELECT state, count(*) FROM publication_items GROUP BY 1 ORDER BY 1").await;
    assert_eq!(items, ["published 6", "scheduled 1"], "round {round}");

    let photos = rows("SELECT puzzle_id, state FROM source_images ORDER BY 1").await;
    assert_eq!(photos, [1, 2, 3, 4, 5, 6, TODAY].map(|id| format!("{id} ready")), "round {round}");
    for id in 1..=TODAY {
        assert_eq!(images.requests_for(&format!("{id}.png")), 1, "round {round}, photo {id}");
    }
    let keys = rows("SELECT object_key FROM source_images ORDER BY 1").await;
    assert_eq!(place.files_of_photos(), keys, "round {round}: something else is stored");
    let held = place.number("SELECT count(*) FROM job_leases WHERE expires_at <> 0").await;
    assert_eq!(held, 0, "round {round}: a lease is still held");
}

/// Sends both servers the same request at once, over connections that stand already.
async fn fire(servers: &[Server; 2], job: &str) -> [Value; 2] {
    for server in servers {
        assert_eq!(server.get("/healthz").await.status(), StatusCode::OK);
    }
    let (path, body) = (format!("/jobs/{job}"), json!({}));
    let (one, other) = tokio::join!(servers[0].post(&path, &body), servers[1].post(&path, &body));
    [one, other]
}

#[tokio::test]
async fn two_servers_told_to_publish_at_the_same_instant_publish_everything_once() {
    let _turn = alone().await;
    for round in 0..rounds(5, 50) {
        let images = ImageServer::start().await;
        let place = stocked(&images).await;
        let servers = [place.serve(&["--no-cron"]).await, place.serve(&["--no-cron"]).await];
        let [one, other] = fire(&servers, "publish").await;
        check_published_once(&place, &images, [&one, &other], round).await;

        let before = place.dump(&RUNS).await;
        let [one, other] = fire(&servers, "compensate").await;
        assert_eq!([&one["items"], &other["items"]], [&json!([]), &json!([])], "round {round}");
        assert_eq!(place.dump(&RUNS).await, before, "round {round}");
        assert_eq!(place.number("SELECT count(*) FROM job_runs").await, 4, "round {round}");

        for server in servers {
            server.stop().await.assert_quiet();
        }
        place.run(&["verify"]).await.assert_quiet();
    }
}

#[tokio::test]
async fn two_commands_started_at_the_same_instant_publish_everything_once() {
    let _turn = alone().await;
    for round in 0..rounds(5, 50) {
        let images = ImageServer::start().await;
        let place = stocked(&images).await;
        let [one, other] = at_once(&place, "publish").await;
        check_published_once(&place, &images, [&one.json(), &other.json()], round).await;

        let before = place.dump(&RUNS).await;
        at_once(&place, "compensate").await;
        assert_eq!(place.dump(&RUNS).await, before, "round {round}");
        place.run(&["verify"]).await.assert_quiet();
    }
}

async fn at_once(place: &Place, job: &str) -> [Ended; 2] {
    let start = || place.command(&["run", job, "--json"]).spawn().unwrap();
    let (one, other) = (start(), start());
    let ended = in_time("two commands", async { tokio::join!(Ended::of(one), Ended::of(other)) }).await;
    for command in [&ended.0, &ended.1] {
        command.assert_quiet();
    }
    [ended.0, ended.1]
}

/// While one process fetches a photo ahead of time, the answer of that very puzzle falls
/// due, and the other process wants to publish it.
#[tokio::test]
async fn an_answer_whose_photo_another_process_is_fetching_comes_out_when_the_photo_is_there() {
    let images = ImageServer::start().await;
    images.hold();
    let place = Place::at("2026-11-29T00:09:57Z").await;
    place.import(&bank([row_with_photo(TODAY, "2026-11-28", &images.photo("7.png"))])).await;
    let early = place.serve(&[]).await;
    images.has_been_asked(1).await;
    let late = place.serve(&[]).await;
    until("the second one to wait for the photo", async || {
        place.number("SELECT next_attempt_at FROM publication_items").await > 0
    })
    .await;
    assert_eq!(place.number("SELECT attempts FROM publication_items").await, 0, "waiting is no failure");

    images.release();
    until("the answer", async || place.number("SELECT count(*) FROM answer_posts").await == 1).await;
    assert_eq!(images.requests(), 1);
    for server in [early, late] {
        server.stop().await.assert_quiet();
    }
    place.run(&["verify"]).await.assert_quiet();
}
