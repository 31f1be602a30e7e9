//! The last place of a day, beside a million results of other days.

use serde_json::Value;
use tokio::task::JoinSet;

use crate::{
    bank::{bank, row},
    games::{SECRET, Told, report, win},
    harness::{Place, Server, alone, in_time},
};

const TODAY: i64 = 7;
/// As [`row`] makes it.
const PRICE: i64 = 100 * TODAY;
const ROOM: i64 = 50_000;
/// Other days, each as full as can be: a million results.
const OTHERS: i64 = 20;
const RIVALS: usize = 12;

/// Results of a puzzle, in the slots from the first to `last`.
async fn fill(place: &Place, puzzle: i64, last: i64) {
    let sql = format!(
        "WITH RECURSIVE slots (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM slots WHERE n < {last})
         INSERT INTO daily_results (puzzle_id, session_id, slot, outcome, guesses_used, created_at)
         SELECT {puzzle}, printf('session-%08d', n), n, 'won', 3, 0 FROM slots"
    );
    place.execute(&sql).await;
}

#[tokio::test]
async fn of_all_who_reach_for_the_last_place_of_a_day_one_gets_it() {
    let _turn = alone().await;
    let place = Place::at("2026-11-28T12:00:00Z").await;
    let others = (1..=OTHERS).map(|day| row(TODAY + day, &format!("2026-12-{day:02}")));
    place.import(&bank(others.chain([row(TODAY, "2026-11-28")]))).await;
    for day in 1..=OTHERS {
        fill(&place, TODAY + day, ROOM).await;
    }
    fill(&place, TODAY, ROOM - 1).await;

    let options = ["--no-cron", "--secret", SECRET, "--player-rate", "0"];
    let servers: [Server; 2] = [place.serve(&options).await, place.serve(&options).await];
    let mut rivals = JoinSet::new();
    for nth in 0..RIVALS {
        let url = servers[nth % 2].url().to_owned();
        rivals.spawn(async move {
            let game = win(&url, TODAY, PRICE, &format!("session-of-rival-{nth:02}")).await.unwrap();
            report(&url, &game).await
        });
    }
    let told = in_time("the answers to all rivals", rivals.join_all()).await;
    let (given, refused): (Vec<Told>, Vec<Told>) = told.into_iter().partition(|told| told.status == 200);
    let places: Vec<_> = given.iter().map(|told| (&told.body["status"], &told.body["slot"])).collect();
    assert_eq!(places, [(&Value::from("recorded"), &Value::from(ROOM))]);
    assert_eq!(refused.len(), RIVALS - 1);
    for told in &refused {
        assert!(told.is_problem(409, "results-full"), "{told:?}");
    }
    let stored = format!(
        "SELECT count(*), max(slot), count(*) FILTER (WHERE session_id LIKE 'session-of-rival-%') \
         FROM daily_results WHERE puzzle_id = {TODAY}"
    );
    assert_eq!(place.rows(&stored).await, [format!("{ROOM} {ROOM} 1")]);
    assert_eq!(place.number("SELECT count(*) FROM daily_results").await, (OTHERS + 1) * ROOM);
    for server in servers {
        server.stop().await.assert_quiet();
    }
}
