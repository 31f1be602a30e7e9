//! Answers come out at their instant, however many processes reach for them.
//!
//! Two figures are printed. How late a page was *published* is read off the database, so
//! it is the store's own word and does not depend on this test. How late it was *seen*
//! is what a reader notices who keeps asking; it contains the time that asking takes. The
//! limits are those of the full form, which has the machine for itself.

use reqwest::StatusCode;
use serde_json::json;
use tokio::task::JoinSet;

use crate::{
    bank::{bank, november},
    harness::{Place, Server, alone, at_most, client, in_time, rounds},
};

const PROCESSES: usize = 4;

/// A page as it is now.
async fn html(url: &str) -> String {
    let answer = client().get(url).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK, "{url}");
    answer.text().await.unwrap()
}

/// Reads one server's list until all answers stand in it. From then on, each has to have
/// its page, and the newest one has to be on the home page, at the first request.
async fn see_all(url: String, count: i64) {
    let link = |id| format!("\"/answers/{id}\"");
    loop {
        let list = html(&format!("{url}/answers")).await;
        if (1..=count).all(|id| list.contains(&link(id))) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    assert!(html(&url).await.contains(&link(count)), "the home page of {url} is behind its list");
    for id in 1..=count {
        html(&format!("{url}/answers/{id}")).await;
    }
}

/// Has `count` items of one instant come out, with all servers asleep until shortly
/// before. Prints how late they were, and returns it: published, and seen.
async fn come_out(count: i64) -> (i64, i64) {
    let place = Place::at("2026-11-28T12:00:00Z").await;
    place.import(&bank(november(count))).await;
    // Postponed before any process with jobs exists, then moved while all of them sleep.
    let admin = place.serve(&["--no-cron"]).await;
    postpone(&admin, count, place.now().await + 3_600_000).await;
    let mut servers = Vec::new();
    for _ in 0..PROCESSES {
        servers.push(place.serve(&[]).await);
    }
    let due = place.now().await + 3_000;
    postpone(&admin, count, due).await;
    assert!(place.now().await < due, "the machine is too slow to move {count} items in three seconds");

    let mut readers = JoinSet::new();
    for server in &servers {
        readers.spawn(see_all(server.url().to_owned(), count));
    }
    in_time("every answer on every server", readers.join_all()).await;
    let seen = place.now().await - due;
    let published = place.number("SELECT max(published_at) FROM answer_posts").await - due;
    let first = place.number("SELECT min(published_at) FROM answer_posts").await - due;
    let shares = place.rows("SELECT count(*) FROM commit_receipts GROUP BY owner_id ORDER BY 1 DESC").await;
    println!(
        "{count} due at one instant, {PROCESSES} processes: the first published after {first} ms, \
         the last after {published} ms, all seen on every process after {seen} ms; \
         published by each: {}",
        shares.join(", ")
    );
    assert!(first >= 0, "published {first} ms after it was due");
    let numbers = "SELECT count(*), count(DISTINCT puzzle_id), max(revision), max(content_version) FROM commit_receipts";
    assert_eq!(place.rows(numbers).await, [format!("{count} {count} {count} 1")]);
    let failed = "SELECT count(*) FROM publication_items WHERE attempts <> 0 OR state <> 'published'";
    assert_eq!(place.number(failed).await, 0);
    for server in servers.into_iter().chain([admin]) {
        server.stop().await.assert_quiet();
    }
    place.run(&["verify"]).await.assert_quiet();
    (published, seen)
}

async fn postpone(server: &Server, count: i64, due: i64) {
    for id in 1..=count {
        server.post(&format!("/items/{id}/reschedule"), &json!({ "due_at": due })).await;
    }
}

#[tokio::test]
async fn twenty_five_answers_of_one_instant_are_out_everywhere_within_a_second() {
    let _turn = alone().await;
    for _ in 0..rounds(1, 10) {
        let (published, seen) = come_out(25).await;
        assert!(published < at_most(1_000), "the last one was published after {published} ms");
        assert!(seen < at_most(1_000), "the last one was seen after {seen} ms");
    }
}

#[tokio::test]
async fn a_single_answer_is_out_everywhere_within_a_tenth_of_a_second() {
    let _turn = alone().await;
    for _ in 0..rounds(1, 10) {
        let (published, seen) = come_out(1).await;
        assert!(published < at_most(100), "published after {published} ms");
        assert!(seen < at_most(100), "seen after {seen} ms");
    }
}
