//! A crowd that plays at two processes, and one address that plays too much.

use std::collections::BTreeSet;

use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{
    bank::{bank, row},
    games::{SECRET, guess, report},
    harness::{Place, Server, alone, client, in_time},
};

const SESSIONS: usize = 150;
const REPORTS: usize = 200;
const TODAY: i64 = 7;
/// As [`row`] makes it.
const PRICE: i64 = 100 * TODAY;

async fn place() -> Place {
    let place = Place::at("2026-11-28T12:00:00Z").await;
    place.import(&bank([row(TODAY, "2026-11-28")])).await;
    place
}

/// Plays a game, one guess here and the last one there, and returns its token.
async fn play(servers: [String; 2], nth: usize) -> String {
    let session = format!("session-number-{nth:03}");
    let first = guess(&servers[0], TODAY, &json!({ "guess_cents": 1, "session_id": session })).await;
    let first: Value = first.json().await.unwrap();
    let last = guess(&servers[1], TODAY, &json!({ "guess_cents": PRICE, "game": first["game"] })).await;
    let last: Value = last.json().await.unwrap();
    assert_eq!((&last["outcome"], &last["guesses_used"]), (&json!("won"), &json!(2)), "{last}");
    last["game"].as_str().unwrap().to_owned()
}

async fn all<T: 'static>(tasks: JoinSet<T>) -> Vec<T> {
    in_time("a crowd's answers", tasks.join_all()).await
}

#[tokio::test]
async fn a_crowd_at_two_processes_is_recorded_once_each_without_a_gap() {
    let _turn = alone().await;
    let place = place().await;
    let options = ["--no-cron", "--secret", SECRET, "--player-rate", "0"];
    let servers: [Server; 2] = [place.serve(&options).await, place.serve(&options).await];
    let urls = servers.each_ref().map(|server| server.url().to_owned());

    let mut games = JoinSet::new();
    for nth in 0..SESSIONS {
        let [one, two] = urls.clone();
        games.spawn(play(if nth % 2 == 0 { [one, two] } else { [two, one] }, nth));
    }
    let games = all(games).await;
    assert_eq!(place.number("SELECT count(*) FROM daily_results").await, 0);

    let mut reports = JoinSet::new();
    for nth in 0..REPORTS {
        let (url, game) = (urls[usize::from(nth % 3 == 0)].clone(), games[nth % SESSIONS].clone());
        reports.spawn(async move {
            let told = report(&url, &game).await;
            assert_eq!(told.status, StatusCode::OK, "{told:?}");
            (told.body["status"].as_str().unwrap().to_owned(), told.body["slot"].as_i64().unwrap())
        });
    }
    let told = all(reports).await;
    let slots = |status: &str| -> Vec<i64> {
        told.iter().filter(|(found, _)| found == status).map(|(_, slot)| *slot).collect()
    };
    let recorded: BTreeSet<_> = slots("recorded").into_iter().collect();
    assert_eq!(recorded, (1..=150).collect(), "each slot is told to one report");
    assert_eq!((slots("recorded").len(), slots("duplicate").len()), (SESSIONS, REPORTS - SESSIONS));

    let stored = "SELECT count(*), count(DISTINCT session_id), min(slot), max(slot), count(DISTINCT slot) \
                  FROM daily_results WHERE outcome = 'won' AND guesses_used = 2";
    assert_eq!(place.rows(stored).await, ["150 150 1 150 150"]);
    for server in servers {
        server.stop().await.assert_quiet();
    }
    place.run(&["verify"]).await.assert_quiet();
}

#[tokio::test]
async fn an_address_that_sends_too_much_is_told_when_to_come_again() {
    let place = place().await;
    let server = place.serve(&["--no-cron", "--secret", SECRET, "--player-rate", "2"]).await;
    let body = json!({ "guess_cents": 1 });
    for _ in 0..2 {
        assert_eq!(guess(server.url(), TODAY, &body).await.status(), StatusCode::OK);
    }
    let refused = guess(server.url(), TODAY, &body).await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    let seconds: u32 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=30).contains(&seconds), "{seconds}");
    assert_eq!(refused.headers()["content-type"], "application/problem+json");
    assert!(refused.text().await.unwrap().contains("urn:fencepost:problem:too-many-requests"));
    assert_eq!(report(server.url(), "").await.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(server.get("/").await.status(), StatusCode::OK);

    // The header counts for nothing where no proxy is said to add it.
    let elsewhere = async |server: &Server, address: &str| {
        let request = client().post(format!("{}/api/puzzles/{TODAY}/guess", server.url())).json(&body);
        request.header("x-forwarded-for", address).send().await.unwrap().status().as_u16()
    };
    assert_eq!(elsewhere(&server, "192.0.2.1").await, 429);
    let options = ["--no-cron", "--secret", SECRET, "--player-rate", "1", "--behind-proxy"];
    let behind = place.serve(&options).await;
    for (address, status) in
        [("192.0.2.1", 200), ("192.0.2.2", 200), ("192.0.2.1", 429), ("192.0.2.9, 192.0.2.2", 429)]
    {
        assert_eq!(elsewhere(&behind, address).await, status, "{address}");
    }
    for server in [server, behind] {
        server.stop().await.assert_quiet();
    }
}
