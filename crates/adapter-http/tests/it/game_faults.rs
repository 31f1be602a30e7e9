//! The daily game on a store that misbehaves.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use async_trait::async_trait;
use axum::{body::Body, http::Method};
use fencepost_domain::{id::PuzzleId, play::Play, reading::Snapshot, time::UnixMillis};
use fencepost_ports::{Recorded, ResultReport, ResultsLog, StoreError};
use serde_json::{Value, json};

use crate::world::{Answer, OPEN, World, id};

const JSON: [(&str, &str); 1] = [("content-type", "application/json")];

/// A log of which some answers get lost after the call has landed.
struct Lossy {
    log: Arc<dyn ResultsLog>,
    /// How many answers are yet to be lost.
    losses: AtomicU32,
}

impl Lossy {
    fn answer<T>(&self, answer: T) -> Result<T, StoreError> {
        let is_lost = |left: u32| left.checked_sub(1);
        match self.losses.fetch_update(Ordering::SeqCst, Ordering::SeqCst, is_lost) {
            Ok(_) => Err(StoreError::unknown("/var/lib/secret.db does not answer")),
            Err(_) => Ok(answer),
        }
    }
}

#[async_trait]
impl ResultsLog for Lossy {
    async fn report(&self, report: &ResultReport) -> Result<Recorded, StoreError> {
        self.answer(self.log.report(report).await?)
    }

    async fn play(&self, now: Option<UnixMillis>, puzzle: PuzzleId) -> Result<Snapshot<Play>, StoreError> {
        self.answer(self.log.play(now, puzzle).await?)
    }
}

async fn post(world: &World, path: &str, body: Value) -> Answer {
    world.send(Method::POST, path, &JSON, Body::from(body.to_string())).await
}

/// A world with a game that is won, whose store then loses so many answers.
async fn won(losses: u32) -> (World, Value) {
    let mut world = World::new().await;
    let path = format!("/api/puzzles/{OPEN}/guess");
    let won = post(&world, &path, json!({ "guess_cents": OPEN })).await.json();
    let log = world.site.stores.results.clone();
    world.config.site.stores.results = Arc::new(Lossy { log, losses: AtomicU32::new(losses) });
    (world, json!({ "game": won["game"] }))
}

#[tokio::test]
async fn a_report_whose_answer_was_lost_is_told_again_and_is_not_its_own_duplicate() {
    for losses in 1..=3 {
        let (world, report) = won(losses).await;
        let told = post(&world, "/api/results", report).await.json();
        assert_eq!(
            (&told["status"], &told["slot"]),
            (&json!("recorded"), &json!(1)),
            "{losses} losses: {told}"
        );
    }
}

#[tokio::test]
async fn a_store_that_stays_silent_is_503_and_what_it_said_is_not_told() {
    let (world, report) = won(99).await;
    let guess = post(&world, &format!("/api/puzzles/{OPEN}/guess"), json!({ "guess_cents": 1 })).await;
    let reported = post(&world, "/api/results", report.clone()).await;
    for answer in [guess, reported] {
        let got = ["content-type", "cache-control", "retry-after"].map(|name| answer.header(name));
        assert_eq!((answer.status.as_u16(), got), (503, ["application/problem+json", "no-store", "5"]));
        assert!(!answer.text().contains("secret"), "{}", answer.text());
    }
    // It was recorded all the same, and whoever asks again is told so.
    let answer = world.site.stores.posts.answer(world.clock.now(), id(OPEN)).await.unwrap();
    assert_eq!(answer.value.map(|view| view.stats.results()), Some(1));
    let world = World {
        config: fencepost_adapter_http::HttpConfig { site: world.site.clone(), ..world.config.clone() },
        ..world
    };
    assert_eq!(post(&world, "/api/results", report).await.json()["status"], "duplicate");
}
