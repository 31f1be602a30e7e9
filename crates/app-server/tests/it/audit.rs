//! `audit`, of a server on a loopback socket.

use serde_json::json;

use crate::{
    bank::{bank, row},
    harness::Place,
};

/// A place with an answer that is out, a puzzle that is open and one to come, long before the
/// next instant.
async fn stocked() -> Place {
    let place = Place::at("2026-11-28T12:00:00Z").await;
    place.import(&bank([row(7, "2026-11-26"), row(8, "2026-11-28"), row(9, "2026-11-29")])).await;
    place.succeed(&["run", "publish"]).await;
    place
}

#[tokio::test]
async fn a_site_that_keeps_its_secrets_passes() {
    let place = stocked().await;
    let secret = "a-secret-of-at-least-32-characters";
    let server = place.serve(&["--no-cron", "--player-rate", "0", "--secret", secret]).await;
    for (words, results) in [(&[][..], 0), (&["--end-games"], 2)] {
        let told = place.run(&[&["audit", "--base", server.url(), "--now-only"], words].concat()).await;
        assert_eq!(told.code, Some(0), "{told:?}");
        assert!(told.stdout.contains("by the clock of the admin API"), "{told:?}");
        assert!(told.stdout.contains("\nnothing found: "), "{told:?}");
        assert!(!told.stdout.contains(" 0 turns of the game"), "{told:?}");
        assert_eq!(place.number("SELECT count(*) FROM daily_results").await, results, "{words:?}");
    }
    server.stop().await.assert_quiet();
}

#[tokio::test]
async fn what_is_told_too_early_is_found_and_ends_with_1() {
    let place = stocked().await;
    let server = place.serve(&["--no-cron"]).await;
    // By this file, the answer that is out would be due in two days.
    let file = place.path().join("bank.json");
    std::fs::write(&file, bank([row(7, "2026-11-29")]).to_string()).unwrap();
    let mut command = place.command(&[
        "audit",
        "--base",
        server.url(),
        "--bank",
        file.to_str().unwrap(),
        "--now-only",
        "--json",
    ]);
    let told = crate::harness::Ended::of(command.env_remove("FENCEPOST_ADMIN_TOKEN").spawn().unwrap()).await;
    assert_eq!(told.code, Some(1), "{told:?}");
    let report = told.json();
    assert_eq!(report["clock"], "the Date header");
    let is_told = |kind: &str, surface: &str, what: &str| {
        report["findings"].as_array().unwrap().iter().any(|found| {
            found["kind"] == kind
                && found["surface"] == surface
                && found["what"].as_str().unwrap().contains(what)
        })
    };
    assert!(is_told("embargoed_bytes", "GET /answers", "the price $7.00 in the body"), "{report:#}");
    assert!(is_told("embargoed_bytes", "GET /", "the name \"Thing 7\" in the body"), "{report:#}");
    assert!(is_told("told_apart", "GET /answers/7", "status"), "{report:#}");
    assert!(
        report["findings"].as_array().unwrap().iter().all(|found| found["puzzle_id"] == json!(7)),
        "{report:#}"
    );
    server.stop().await.assert_quiet();
}

#[tokio::test]
async fn an_instant_that_is_far_away_is_not_waited_for() {
    let place = stocked().await;
    let server = place.serve(&["--no-cron"]).await;
    let told = place.run(&["audit", "--base", server.url(), "--patience", "60"]).await;
    assert_eq!(told.code, Some(2), "{told:?}");
    for part in ["2026-11-29T00:00:00Z", "--now-only", "FENCEPOST_TEST_CLOCK_OFFSET_MS"] {
        assert!(told.stderr.contains(part), "{told:?}");
    }
    server.stop().await.assert_quiet();
}

#[tokio::test]
async fn a_site_that_is_not_there_is_a_fault() {
    let place = Place::new();
    let told = place.run(&["audit", "--base", "http://127.0.0.1:1", "--now-only"]).await;
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(told.stderr.contains("check that the site is up"), "{told:?}");
}
