//! A due instant that another process moves while one sleeps towards it.

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::{
    bank::{bank, november},
    harness::{Dice, Place, Server, alone, at_most, rounds, until},
};

const HOUR_MS: i64 = 3_600_000;

/// A place with `count` items that are due in an hour, a server that sleeps towards them,
/// and another one that runs no job.
async fn asleep(count: i64) -> (Place, Server, Server) {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    place.import(&bank(november(count))).await;
    let elsewhere = place.serve(&["--no-cron"]).await;
    let due = place.now().await + HOUR_MS;
    for id in 1..=count {
        assert_eq!(move_to(&elsewhere, id, due).await, StatusCode::OK);
    }
    let sleeper = place.serve(&[]).await;
    until("the sleeper's first run", async || {
        place.number("SELECT count(finished_at) FROM job_runs").await == 1
    })
    .await;
    (place, sleeper, elsewhere)
}

async fn move_to(server: &Server, id: i64, due: i64) -> StatusCode {
    let body = json!({ "due_at": due });
    server.admin(Method::POST, &format!("/items/{id}/reschedule"), Some(&body)).await.status()
}

async fn stop(place: &Place, servers: [Server; 2]) {
    for server in servers {
        server.stop().await.assert_quiet();
    }
    place.run(&["verify"]).await.assert_quiet();
}

#[tokio::test]
async fn a_server_honours_an_earlier_instant_that_another_process_set() {
    let _turn = alone().await;
    let (place, sleeper, elsewhere) = asleep(2).await;
    // One at once, which the sleeper cannot know before it looks again; and one further
    // ahead than it ever sleeps, which it has to meet.
    let now = place.now().await;
    for (id, due) in [(1, now), (2, now + 1_500)] {
        assert_eq!(move_to(&elsewhere, id, due).await, StatusCode::OK);
    }
    until("both answers", async || place.number("SELECT count(*) FROM answer_posts").await == 2).await;
    let late = async |id| {
        let sql = "SELECT published_at - due_at FROM answer_posts JOIN publication_items USING (puzzle_id)";
        place.number(&format!("{sql} WHERE puzzle_id = {id}")).await
    };
    let (at_once, ahead) = (late(1).await, late(2).await);
    println!("moved to at once: published {at_once} ms later; moved ahead: {ahead} ms after the instant");
    assert!((0..at_most(1_100)).contains(&at_once), "published {at_once} ms after it was moved to at once");
    assert!((0..at_most(100)).contains(&ahead), "published {ahead} ms after its instant");
    stop(&place, [sleeper, elsewhere]).await;
}

#[tokio::test]
async fn a_server_honours_a_later_instant_that_another_process_set() {
    let (place, sleeper, elsewhere) = asleep(1).await;
    let now = place.now().await;
    assert_eq!(move_to(&elsewhere, 1, now + 2_000).await, StatusCode::OK);
    // Long enough for the sleeper to have seen the instant, which it is told to forget.
    until("the last second", async || place.now().await >= now + 1_500).await;
    assert_eq!(move_to(&elsewhere, 1, now + 3_500).await, StatusCode::OK);
    until("the answer", async || place.number("SELECT count(*) FROM answer_posts").await == 1).await;
    let late = place.number("SELECT published_at FROM answer_posts").await - (now + 3_500);
    assert!(late >= 0, "published {late} ms after it was due, at the instant that was moved");
    stop(&place, [sleeper, elsewhere]).await;
}

#[tokio::test]
async fn a_move_in_the_last_moment_counts_or_is_refused() {
    let _turn = alone().await;
    let count = i64::try_from(rounds(8, 28)).unwrap();
    let (place, sleeper, elsewhere) = asleep(count).await;
    // One after the other, the first so far ahead that the sleeper has looked before.
    let first = place.now().await + 2_000;
    let due = |id: i64| first + 200 * id;
    for id in 1..=count {
        assert_eq!(move_to(&elsewhere, id, due(id)).await, StatusCode::OK);
    }
    let mut dice = Dice::seeded(5);
    let mut moved = Vec::new();
    for id in 1..=count {
        // From 20 ms before the instant to 20 ms after it.
        let moment = due(id) - 20 + i64::try_from(dice.below(40)).unwrap();
        while place.now().await < moment {
            tokio::task::yield_now().await;
        }
        match move_to(&elsewhere, id, first + HOUR_MS).await {
            StatusCode::OK => moved.push(id),
            StatusCode::CONFLICT => {}
            other => panic!("moving {id} was answered with {other}"),
        }
    }
    let expected = count - i64::try_from(moved.len()).unwrap();
    println!("{} of {count} were moved in time, {expected} were out already", moved.len());
    until("the others", async || place.number("SELECT count(*) FROM answer_posts").await == expected).await;
    let waiting = place
        .rows("SELECT puzzle_id FROM publication_items WHERE state = 'scheduled' ORDER BY puzzle_id")
        .await;
    assert_eq!(waiting, moved.iter().map(i64::to_string).collect::<Vec<_>>());
    stop(&place, [sleeper, elsewhere]).await;
}
