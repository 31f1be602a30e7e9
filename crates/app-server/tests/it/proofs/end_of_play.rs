//! The end of play, by the store's clock, wherever the machine believes to be.
//!
//! That a puzzle is played to the last millisecond, and not in the next one, is shown where
//! time is an argument. Here processes run whose clocks go on, so each request is put between
//! two looks at the clock: one that was taken was sent before the end, and one that was
//! refused was answered after it.

use futures_util::future::join_all;
use reqwest::StatusCode;
use serde_json::json;

use crate::{
    bank::{bank, row},
    games::{SECRET, Told, guess, report, win},
    harness::{Launched, Place, Server, alone, in_time, millis},
};

/// The first zone of the world, one that is off by half an hour, and none.
const ZONES: [&str; 3] = ["Pacific/Kiritimati", "America/St_Johns", "UTC"];
const TODAY: i64 = 7;
/// As [`row`] makes it.
const PRICE: i64 = 100 * TODAY;
const MIDNIGHT: &str = "2026-11-29T00:00:00Z";

/// A server in a time zone, with the clock of the place.
async fn serve(place: &Place, zone: &str) -> Server {
    let options = ["serve", "--listen", "127.0.0.1:0", "--no-cron", "--secret", SECRET, "--player-rate", "0"];
    let mut command = place.command(&options);
    command.env("TZ", zone);
    Launched::of(command).ready().await
}

#[tokio::test]
async fn a_game_that_goes_on_over_midnight_is_one_of_the_day_before_in_every_zone() {
    join_all(ZONES.map(play_over_midnight)).await;
}

async fn play_over_midnight(zone: &str) {
    let mut place = Place::at("2026-11-28T23:59:00Z").await;
    place.import(&bank([row(TODAY, "2026-11-28"), row(TODAY + 1, "2026-11-29")])).await;
    let server = serve(&place, zone).await;
    let begun = json!({ "guess_cents": 1, "session_id": "session-over-midnight" });
    let begun = Told::of(guess(server.url(), TODAY, &begun).await).await;
    let early = guess(server.url(), TODAY + 1, &json!({ "guess_cents": 1 })).await;
    assert_eq!(early.status(), StatusCode::NOT_FOUND, "{zone}: the next day has not begun");
    server.stop().await.assert_quiet();

    place.set_time("2026-11-29T00:05:00Z").await;
    let server = serve(&place, zone).await;
    let last = json!({ "guess_cents": PRICE, "game": begun.body["game"] });
    let last = Told::of(guess(server.url(), TODAY, &last).await).await;
    assert_eq!(last.body["outcome"], "won", "{zone}: {last:?}");
    let told = report(server.url(), last.body["game"].as_str().unwrap()).await;
    assert_eq!(told.body["status"], "recorded", "{zone}: {told:?}");
    let stored = "SELECT puzzle_id, session_id, slot, guesses_used FROM daily_results";
    assert_eq!(place.rows(stored).await, ["7 session-over-midnight 1 2"], "{zone}");
    server.stop().await.assert_quiet();
}

#[tokio::test]
async fn play_ends_with_the_grace_window_in_every_zone() {
    let _turn = alone().await;
    join_all(ZONES.map(play_to_the_end)).await;
}

async fn play_to_the_end(zone: &str) {
    let place = Place::at("2026-11-29T00:05:00Z").await;
    let server = serve(&place, zone).await;
    let end = open_until_soon(&place, millis(MIDNIGHT).await).await;
    let unreported = win(server.url(), TODAY, PRICE, "session-of-the-late").await.unwrap();

    let played = in_time("the end of play", play_on(&place, server.url(), end)).await;
    assert!(played > 0, "{zone}: nobody could play in time");
    let (taken, last) = ("SELECT count(*) FROM daily_results", "SELECT max(created_at) FROM daily_results");
    assert_eq!(place.number(taken).await, played, "{zone}");
    let last = place.number(last).await;
    assert!(last < end, "{zone}: a result of {} ms after the end was taken", last - end);
    let late = report(server.url(), &unreported).await;
    assert!(late.is_problem(410, "play-over"), "{zone}: {late:?}");
    assert_eq!(late.body["answer"], format!("/answers/{TODAY}"), "{zone}");
    assert_eq!(place.number(taken).await, played, "{zone}");

    place.succeed(&["run", "publish"]).await;
    let page = server.get(&format!("/answers/{TODAY}")).await;
    assert_eq!(page.status(), StatusCode::OK, "{zone}: the answer is out");
    let published = place.number("SELECT published_at FROM answer_posts").await;
    assert!(published >= end, "{zone}: published {} ms early", end - published);
    server.stop().await.assert_quiet();
}

/// Imports the puzzle of the day that has ended at `midnight`, with a grace window that ends
/// in three or four seconds, and returns its end.
async fn open_until_soon(place: &Place, midnight: i64) -> i64 {
    let grace = (place.now().await - midnight) / 1_000 + 4;
    let import = ["import", "-", "--grace-seconds", &grace.to_string()];
    let ended = place.run_with_input(&import, &bank([row(TODAY, "2026-11-28")]).to_string()).await;
    ended.assert_quiet();
    midnight + grace * 1_000
}

/// Plays and reports, one session after the other, until play is over. Returns how many
/// results were taken.
async fn play_on(place: &Place, url: &str, end: i64) -> i64 {
    let mut played = 0;
    loop {
        let sent = place.now().await;
        let refused = match win(url, TODAY, PRICE, &format!("session-number-{played:05}")).await {
            Err(refused) => refused,
            Ok(game) => {
                assert!(sent < end, "a guess was judged that was sent {} ms after the end", sent - end);
                let sent = place.now().await;
                let told = report(url, &game).await;
                if told.status == StatusCode::OK {
                    assert!(sent < end, "a result was taken that was sent {} ms after the end", sent - end);
                    played += 1;
                    continue;
                }
                told
            }
        };
        assert!(refused.is_problem(410, "play-over"), "{refused:?}");
        let answered = place.now().await;
        assert!(answered >= end, "refused {} ms before the end", end - answered);
        return played;
    }
}
