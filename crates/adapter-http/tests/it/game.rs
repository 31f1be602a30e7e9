//! The daily game: judged here, carried by its player, recorded once.

use crate::world::editor;
use fencepost_application::Expected;
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use axum::{
    body::Body,
    http::{Method, request::Parts},
};
use fencepost_adapter_http::{RateLimit, Secret};
use fencepost_domain::time::UnixMillis;
use serde_json::{Value, json};

use crate::world::{
    Answer, FUTURE, NEVER_PUBLIC, OPEN, OVERDUE, PHOTOLESS, PUBLISHED, SECRET, UNKNOWN, WITHDRAWN, World, id,
    row,
};

/// The price of [`OPEN`], as the world imports it.
const PRICE: i64 = OPEN;
const SESSION: &str = "6b1e9f4c-52d0-4c8e-9d8e-0f6b7a1c2d3e";
const OTHER_SESSION: &str = "another-session-of-somebody";
const JSON: [(&str, &str); 1] = [("content-type", "application/json")];

impl World {
    async fn play(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::POST, path, &JSON, Body::from(body.to_string())).await
    }

    /// A guess at `puzzle`, in the game of a token.
    async fn guess(&self, puzzle: i64, cents: i64, game: Option<&str>) -> Answer {
        let body = match game {
            Some(game) => json!({ "guess_cents": cents, "game": game }),
            None => json!({ "guess_cents": cents, "session_id": SESSION }),
        };
        self.play(&format!("/api/puzzles/{puzzle}/guess"), &body).await
    }

    /// The token after these guesses at [`OPEN`].
    async fn game_after(&self, session: &str, guesses: &[i64]) -> String {
        let mut game: Option<String> = None;
        for cents in guesses {
            let body = json!({ "guess_cents": cents, "session_id": session, "game": game });
            let answer = self.play(&format!("/api/puzzles/{OPEN}/guess"), &body).await;
            assert_eq!(answer.status.as_u16(), 200, "{}", answer.text());
            game = Some(answer.json()["game"].as_str().unwrap().to_owned());
        }
        game.unwrap()
    }

    async fn report(&self, game: &str) -> Answer {
        self.play("/api/results", &json!({ "game": game })).await
    }

    /// How many results of a puzzle are recorded.
    pub(crate) async fn results(&self, puzzle: i64) -> Option<i64> {
        let now = self.clock.now();
        let answer = self.site.stores.posts.answer(now, id(puzzle)).await.unwrap();
        answer.value.map(|view| view.stats.results())
    }
}

/// Checks a problem, and that nobody keeps it.
#[track_caller]
fn check(answer: &Answer, status: u16, kind: &str) {
    let problem = answer.json();
    let kind = format!("urn:fencepost:problem:{kind}");
    assert_eq!((answer.status.as_u16(), &problem["type"]), (status, &json!(kind)), "{problem}");
    let got = ["content-type", "cache-control", "x-robots-tag"].map(|name| answer.header(name));
    assert_eq!(got, ["application/problem+json", "no-store", "noindex"], "{problem}");
}

/// Checks an answer that is none of a problem, without the token.
#[track_caller]
fn told(answer: &Answer, expected: Value) {
    let mut json = answer.json();
    let token = json.as_object_mut().unwrap().remove("game");
    assert_eq!((answer.status.as_u16(), json), (200, expected));
    assert!(token.is_none_or(|token| token.as_str().unwrap().len() <= 212));
    let got = ["content-type", "cache-control", "x-robots-tag"].map(|name| answer.header(name));
    assert_eq!(got, ["application/json", "no-store", "noindex"]);
}

#[tokio::test]
async fn a_game_is_won_recorded_once_and_told_again() {
    let world = World::new().await;
    let first = world.guess(OPEN, 1_000, None).await;
    told(
        &first,
        json!({
            "puzzle_id": OPEN, "session_id": SESSION, "verdict": "higher", "close": false,
            "guesses_used": 1, "guesses_left": 5, "over": false, "outcome": null,
        }),
    );
    let game = first.json()["game"].as_str().unwrap().to_owned();
    let second = world.guess(OPEN, PRICE + 20, Some(&game)).await;
    told(
        &second,
        json!({
            "puzzle_id": OPEN, "session_id": SESSION, "verdict": "lower", "close": true,
            "guesses_used": 2, "guesses_left": 4, "over": false, "outcome": null,
        }),
    );
    let game = second.json()["game"].as_str().unwrap().to_owned();
    check(&world.report(&game).await, 409, "game-not-over");
    let third = world.guess(OPEN, PRICE + 11, Some(&game)).await;
    told(
        &third,
        json!({
            "puzzle_id": OPEN, "session_id": SESSION, "verdict": "correct", "close": true,
            "guesses_used": 3, "guesses_left": 0, "over": true, "outcome": "won",
        }),
    );
    let game = third.json()["game"].as_str().unwrap().to_owned();
    let after = world.guess(OPEN, PRICE, Some(&game)).await;
    check(&after, 409, "game-over");
    assert_eq!((&after.json()["outcome"], &after.json()["guesses_used"]), (&json!("won"), &json!(3)));
    assert_eq!(world.results(OPEN).await, Some(0), "nothing is written before a report");

    let result = |status: &str| json!({ "puzzle_id": OPEN, "status": status, "slot": 1, "outcome": "won", "guesses_used": 3 });
    told(&world.report(&game).await, result("recorded"));
    told(&world.report(&game).await, result("duplicate"));
    assert_eq!(world.results(OPEN).await, Some(1));
}

#[tokio::test]
async fn a_game_is_lost_with_the_sixth_guess_and_still_tells_no_price() {
    let world = World::new().await;
    let game = world.game_after(SESSION, &[1, 2, 3, 4, 5]).await;
    let last = world.guess(OPEN, 6, Some(&game)).await;
    told(
        &last,
        json!({
            "puzzle_id": OPEN, "session_id": SESSION, "verdict": "higher", "close": false,
            "guesses_used": 6, "guesses_left": 0, "over": true, "outcome": "lost",
        }),
    );
    let game = last.json()["game"].as_str().unwrap().to_owned();
    let seventh = world.guess(OPEN, PRICE, Some(&game)).await;
    check(&seventh, 409, "game-over");
    assert_eq!(seventh.json()["outcome"], "lost");
    let recorded = world.report(&game).await;
    assert_eq!(recorded.json()["status"], "recorded");
    // The token names the puzzle, whose number is its price in this world.
    for answer in [last, seventh, recorded] {
        let text = answer.text();
        assert!(!text.contains("11.19") && !text.contains("Clock") && !text.contains("cents"), "{text}");
    }
}

#[tokio::test]
async fn the_first_result_of_a_session_stands_and_an_older_token_changes_nothing() {
    let world = World::new().await;
    let played = world.game_after(SESSION, &[1, 2, 3, 4, 5]).await;
    let lost = world.game_after(SESSION, &[1, 2, 3, 4, 5, 6]).await;
    told(
        &world.report(&lost).await,
        json!({ "puzzle_id": OPEN, "status": "recorded", "slot": 1, "outcome": "lost", "guesses_used": 6 }),
    );
    // Going back to an older token of one's own is possible, and does not pay.
    let won = world.guess(OPEN, PRICE, Some(&played)).await.json();
    assert_eq!(won["outcome"], "won");
    told(
        &world.report(won["game"].as_str().unwrap()).await,
        json!({ "puzzle_id": OPEN, "status": "duplicate", "slot": 1, "outcome": "lost", "guesses_used": 6 }),
    );
    assert_eq!(world.results(OPEN).await, Some(1));
}

#[tokio::test]
async fn the_site_draws_a_name_for_whoever_brings_none() {
    let world = World::new().await;
    let path = format!("/api/puzzles/{OPEN}/guess");
    let mut names = BTreeSet::new();
    for body in [json!({ "guess_cents": 1 }), json!({ "guess_cents": 1, "session_id": null, "game": null })] {
        let answer = world.play(&path, &body).await.json();
        names.insert(answer["session_id"].as_str().unwrap().to_owned());
        let body = json!({ "guess_cents": 2, "game": answer["game"], "session_id": answer["session_id"] });
        assert_eq!(world.play(&path, &body).await.json()["guesses_used"], 2);
    }
    assert_eq!(names.len(), 2);
}

#[tokio::test]
async fn a_puzzle_is_played_to_the_last_millisecond_of_its_grace_window() {
    let world = World::new().await;
    let end: UnixMillis = "2026-11-29T00:10:00Z".parse().unwrap();
    world.clock.set("2026-11-28T23:59:00Z".parse().unwrap());
    let game = world.game_after(SESSION, &[1]).await;
    world.clock.set("2026-11-29T00:05:00Z".parse().unwrap());
    let won = world.guess(OPEN, PRICE, Some(&game)).await.json();
    assert_eq!((&won["puzzle_id"], &won["outcome"]), (&json!(OPEN), &json!("won")));
    let won = won["game"].as_str().unwrap().to_owned();
    let begun_late = world.game_after(OTHER_SESSION, &[PRICE]).await;

    world.clock.set(end.plus(-1));
    assert_eq!(world.guess(OPEN, 1, Some(&game)).await.status.as_u16(), 200);
    assert_eq!(world.report(&won).await.json()["status"], "recorded");
    assert_eq!(
        (world.results(OPEN).await, world.results(FUTURE).await),
        (Some(1), Some(0)),
        "its own puzzle"
    );

    world.clock.set(end);
    for answer in [
        world.guess(OPEN, 1, Some(&game)).await,
        world.guess(OPEN, 1, Some(&won)).await,
        world.guess(OPEN, 1, None).await,
        world.report(&begun_late).await,
    ] {
        check(&answer, 410, "play-over");
        assert_eq!(answer.json()["answer"], format!("/answers/{OPEN}"));
        assert!(!answer.text().contains("11.19"));
    }
    assert_eq!(world.report(&won).await.json()["status"], "duplicate", "what stands is told at any time");
    assert_eq!(world.results(OPEN).await, Some(1));
}

#[tokio::test]
async fn a_token_that_was_changed_anywhere_is_none() {
    let world = World::new().await;
    let won = world.game_after(SESSION, &[1, PRICE]).await;
    assert!(won.is_ascii() && won.starts_with(&format!("{OPEN}.1h-{PRICE}c.{SESSION}.")), "{won}");
    let mut tampered: Vec<String> = Vec::new();
    for at in 0..won.len() {
        for replacement in ['0', '1', '6', 'a', '.', '-', 'A', ' '] {
            let changed = format!("{}{replacement}{}", &won[..at], &won[at + 1..]);
            tampered.extend((changed != won).then_some(changed));
        }
        tampered.push(format!("{}{}", &won[..at], &won[at + 1..]));
        tampered.push(format!("{}0{}", &won[..at], &won[at..]));
    }
    let signature = won.rsplit('.').next().unwrap();
    tampered.extend([
        String::new(),
        ".".to_owned(),
        format!("{won} "),
        format!("{OPEN}.{PRICE}c.{SESSION}.{signature}"),
        format!("{OPEN}.{PRICE}c-1h.{SESSION}.{signature}"),
        format!("{OPEN}.1h-1h-1h-1h-1h-1h-{PRICE}c.{SESSION}.{signature}"),
        format!("{OPEN}..{SESSION}.{signature}"),
        format!("{OPEN}.+1h-{PRICE}c.{SESSION}.{signature}"),
        format!("{OPEN}.1h-{PRICE}c.{SESSION}.{}", signature.to_uppercase()),
        format!("{OPEN}.1h-{PRICE}c.{SESSION}."),
        format!("{OPEN}.1h-{PRICE}c.{SESSION}"),
        "x".repeat(3_000),
    ]);
    let mut checked = 0;
    for token in tampered.iter().filter(|token| **token != won) {
        check(&world.report(token).await, 422, "invalid-game");
        let guess = world.guess(OPEN, 1, Some(token)).await;
        check(&guess, 422, "invalid-game");
        assert_eq!(guess.json()["field"], "game");
        checked += 1;
    }
    assert!(checked > 1_000, "{checked}");
    assert_eq!(world.results(OPEN).await, Some(0));
}

#[tokio::test]
async fn a_token_of_another_site_is_none() {
    let world = World::new().await;
    let won = world.game_after(SESSION, &[PRICE]).await;
    let mut elsewhere = World::new().await;
    assert_eq!(elsewhere.report(&won).await.status.as_u16(), 200, "another process of the same site");
    elsewhere.config.environment = "staging".to_owned();
    check(&elsewhere.report(&won).await, 422, "invalid-game");
    elsewhere.config.environment = "test".to_owned();
    elsewhere.config.secret = Some(Secret::new(&SECRET.replace('3', "4")).unwrap());
    check(&elsewhere.report(&won).await, 422, "invalid-game");
}

#[tokio::test]
async fn a_signature_of_a_preview_is_none_of_a_game() {
    let world = World::new().await;
    let link = world.admin(Method::POST, &format!("/items/{OPEN}/preview"), None).await.json();
    let signature = link["url"].as_str().unwrap().rsplit('=').next().unwrap().to_owned();
    check(&world.report(&format!("{OPEN}.1.won.{SESSION}.{signature}")).await, 422, "invalid-game");
}

#[tokio::test]
async fn a_game_is_of_one_puzzle_and_one_session() {
    let world = World::new().await;
    let game = world.game_after(SESSION, &[1]).await;
    world.clock.set("2026-11-29T00:05:00Z".parse().unwrap());
    for puzzle in [FUTURE, PUBLISHED, UNKNOWN] {
        let foreign = world.guess(puzzle, 1, Some(&game)).await;
        check(&foreign, 409, "foreign-game");
        assert_eq!(foreign.json()["field"], "game");
    }
    let body = json!({ "guess_cents": 1, "game": game, "session_id": OTHER_SESSION });
    let foreign = world.play(&format!("/api/puzzles/{OPEN}/guess"), &body).await;
    check(&foreign, 409, "foreign-game");
    assert_eq!(foreign.json()["field"], "session_id");
    assert_eq!(world.guess(OPEN, 1, Some(&game)).await.json()["guesses_used"], 2);
}

#[tokio::test]
async fn nothing_tells_a_future_puzzle_from_one_that_never_was() {
    let world = World::new().await;
    let unknown = world.guess(UNKNOWN, 1, None).await;
    check(&unknown, 404, "unknown-puzzle");
    for puzzle in [FUTURE, NEVER_PUBLIC] {
        assert_eq!(world.guess(puzzle, 1, None).await, unknown, "a guess at {puzzle}");
    }
    for spelled in ["0", "-1", "01119", "+1119", "1119x", "%31119", "99999999999999999999", "abc"] {
        let path = format!("/api/puzzles/{spelled}/guess");
        assert_eq!(world.play(&path, &json!({ "guess_cents": 1 })).await, unknown, "{path}");
    }
    let unknown = world.get(&format!("/api/puzzles/{UNKNOWN}/stats")).await;
    assert_eq!((unknown.status.as_u16(), unknown.header("x-robots-tag")), (404, "noindex"));
    for spelled in ["1120", "1114", "0", "01118", "+1118", "1118x", "%31118", "99999999999999999999"] {
        let path = format!("/api/puzzles/{spelled}/stats");
        assert_eq!(world.get(&path).await, unknown, "{path}");
    }
    for path in ["/api/puzzles/1118/stats/", "/api/puzzles/1118", "/api", "/api/", "/api/puzzles//stats"] {
        assert_eq!(world.get(path).await.status.as_u16(), 404, "{path}");
    }
}

#[tokio::test]
async fn statistics_are_seen_when_and_where_the_answer_is() {
    let world = World::new().await;
    for (nth, guesses) in
        [&[PRICE][..], &[1, PRICE], &[2, PRICE], &[1, 2, 3, 4, 5, 6]].into_iter().enumerate()
    {
        let game = world.game_after(&format!("session-number-{nth}"), guesses).await;
        assert_eq!(world.report(&game).await.json()["slot"], nth + 1);
    }
    let both = async |puzzle: i64| {
        let stats = world.get(&format!("/api/puzzles/{puzzle}/stats")).await;
        let page = world.get(&format!("/answers/{puzzle}")).await;
        let heads = [&stats, &page].map(|answer| {
            ["retry-after", "cache-control", "x-publication-revision"]
                .map(|name| answer.header(name).to_owned())
        });
        assert_eq!((stats.status, &heads[0]), (page.status, &heads[1]), "{puzzle}");
        stats
    };
    let open = both(OPEN).await;
    assert_eq!((open.status.as_u16(), open.header("retry-after")), (404, "33000"));
    assert_eq!(open.json()["type"], "urn:fencepost:problem:stats-not-out");
    assert!(!open.text().contains("won"), "{}", open.text());
    assert_eq!(both(OVERDUE).await.header("retry-after"), "30");
    assert_eq!(both(WITHDRAWN).await.status.as_u16(), 410);
    let nobody = both(PHOTOLESS).await;
    let none =
        json!({ "puzzle_id": PHOTOLESS, "results": 0, "won": 0, "lost": 0, "won_with": [0, 0, 0, 0, 0, 0] });
    assert_eq!(nobody.json(), none);
    assert_eq!(
        (nobody.header("content-type"), nobody.header("x-robots-tag")),
        ("application/json", "noindex")
    );

    world.clock.set("2026-11-29T00:10:00Z".parse().unwrap());
    assert_eq!(both(OPEN).await.header("retry-after"), "30", "late");
    world.site.run_job(fencepost_ports::Job::Publish, &fencepost_application::Stop::default()).await.unwrap();
    let expected =
        json!({ "puzzle_id": OPEN, "results": 4, "won": 3, "lost": 1, "won_with": [1, 2, 0, 0, 0, 0] });
    let entries = world.cache.entries().len();
    let path = format!("/api/puzzles/{OPEN}/stats");
    let cold = world.get(&path).await;
    assert_eq!(cold.json(), expected);
    assert_eq!(world.cache.entries().len(), entries + 1, "what was read is kept");
    assert_eq!(world.get(&path).await, cold);
    let tag = cold.header("etag").to_owned();
    assert_eq!(world.get_with(&path, &[("if-none-match", &tag)]).await.status.as_u16(), 304);
    world.site.withdraw(&editor(), id(OPEN), Expected::ANYTHING).await.unwrap();
    assert_eq!(both(OPEN).await.status.as_u16(), 410);
}

#[tokio::test]
async fn without_a_secret_there_is_no_game_whatever_is_sent() {
    let mut world = World::new().await;
    let game = world.game_after(SESSION, &[PRICE]).await;
    world.config.secret = None;
    let refused = world.guess(OPEN, 1, None).await;
    check(&refused, 409, "no-secret");
    assert!(refused.text().contains("FENCEPOST_SECRET"));
    for answer in [
        world.guess(FUTURE, 1, None).await,
        world.guess(UNKNOWN, 0, None).await,
        world.guess(OPEN, 1, Some(&game)).await,
        world.report(&game).await,
        world.report("").await,
        world.send(Method::POST, "/api/results", &[], Body::from("x".repeat(9_999))).await,
    ] {
        assert_eq!(answer, refused);
    }
    assert_eq!(world.get(&format!("/api/puzzles/{PUBLISHED}/stats")).await.status.as_u16(), 200);
}

#[tokio::test]
async fn what_cannot_be_a_guess_is_refused_with_the_field() {
    let world = World::new().await;
    let path = format!("/api/puzzles/{OPEN}/guess");
    for (body, status, kind, field) in [
        (json!({ "guess_cents": 0 }), 422, "invalid-guess", json!("guess_cents")),
        (json!({ "guess_cents": -5 }), 422, "invalid-guess", json!("guess_cents")),
        (json!({ "guess_cents": 100_000_001 }), 422, "invalid-guess", json!("guess_cents")),
        (json!({ "guess_cents": i64::MAX }), 422, "invalid-guess", json!("guess_cents")),
        (json!({ "guess_cents": 1, "session_id": "short" }), 422, "invalid-session", json!("session_id")),
        (
            json!({ "guess_cents": 1, "session_id": "x".repeat(65) }),
            422,
            "invalid-session",
            json!("session_id"),
        ),
        (json!({ "guess_cents": 18.99 }), 400, "malformed-json", json!("guess_cents")),
        (json!({ "guess_cents": "1899" }), 400, "malformed-json", json!("guess_cents")),
        (json!({ "guess_cents": null }), 400, "malformed-json", json!("guess_cents")),
        (json!({ "guess_cents": u64::MAX }), 400, "malformed-json", json!("guess_cents")),
        (json!({ "guess_cents": 1, "game": 7 }), 400, "malformed-json", json!("game")),
        (json!({ "guess_cents": 1, "session_id": [] }), 400, "malformed-json", json!("session_id")),
        (json!({}), 400, "malformed-json", Value::Null),
        (json!([]), 400, "malformed-json", Value::Null),
        (json!(1), 400, "malformed-json", Value::Null),
    ] {
        let answer = world.play(&path, &body).await;
        check(&answer, status, kind);
        assert_eq!(answer.json()["field"], field, "{body}");
    }
    let unheard_of = world.play(&path, &json!({ "guess_cents": 1, "price_cents": 1 })).await;
    check(&unheard_of, 400, "malformed-json");
    assert!(unheard_of.text().contains("price_cents"), "{}", unheard_of.text());
    assert!(world.play(&path, &json!({})).await.text().contains("guess_cents"));
    for body in ["", "{", "{}{}", "\u{0}", "null"] {
        let answer = world.send(Method::POST, &path, &JSON, Body::from(body)).await;
        check(&answer, 400, "malformed-json");
    }
    for (cents, verdict) in [(1, "higher"), (100_000_000, "lower")] {
        assert_eq!(world.guess(OPEN, cents, None).await.json()["verdict"], verdict);
    }
}

#[tokio::test]
async fn bodies_are_short_json_and_sent_by_post() {
    let world = World::new().await;
    for path in ["/api/puzzles/1119/guess", "/api/puzzles/4711/guess", "/api/results"] {
        let long = format!("{{\"game\":\"{}\"}}", "x".repeat(4_096));
        let answer = world.send(Method::POST, path, &JSON, Body::from(long)).await;
        check(&answer, 413, "body-too-large");
        assert_eq!(answer.json()["limit_bytes"], 4_096);
        for headers in [
            &[][..],
            &[("content-type", "text/plain")],
            &[("content-type", "application/x-www-form-urlencoded")],
        ] {
            let answer = world.send(Method::POST, path, headers, Body::from("{}")).await;
            check(&answer, 415, "unsupported-media-type");
        }
        for method in [Method::GET, Method::HEAD, Method::PUT, Method::DELETE, Method::OPTIONS] {
            let answer = world.send(method.clone(), path, &JSON, Body::from("{}")).await;
            assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, "POST"), "{method} {path}");
        }
    }
    let answer = world.send(Method::POST, "/api/puzzles/1118/stats", &JSON, Body::from("{}")).await;
    check(&answer, 405, "method-not-allowed");
    assert_eq!(answer.header("allow"), "GET,HEAD");
}

#[tokio::test]
async fn a_full_puzzle_says_so() {
    let world = World::new().await;
    let won = world.game_after(SESSION, &[PRICE]).await;
    world.store.plant_results(id(OPEN), 50_000).unwrap();
    let full = world.report(&won).await;
    check(&full, 409, "results-full");
    assert_eq!(world.results(OPEN).await, Some(50_000));
}

#[tokio::test]
async fn a_puzzle_that_was_moved_away_is_unknown_to_its_players() {
    let world = World::new().await;
    let game = world.game_after(SESSION, &[1]).await;
    let won = world.game_after(SESSION, &[PRICE]).await;
    world.import(json!([row(OPEN, "2026-12-24", "Clock", Some("clock"))])).await;
    check(&world.guess(OPEN, 1, Some(&game)).await, 404, "unknown-puzzle");
    check(&world.report(&won).await, 404, "unknown-puzzle");
}

/// A generator of numbers, the same at every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

#[tokio::test]
async fn no_request_whatever_is_a_fault_or_changes_anything() {
    let world = World::new().await;
    let tables = world.store.tables();
    let game = world.game_after(SESSION, &[1]).await;
    let mut numbers = Numbers(7);
    let mut statuses = BTreeSet::new();
    for nth in 0..2_000 {
        let number =
            numbers.one_of(&["1119", "1118", "1120", "4711", "0", "x", "%00", "9999999999999999999"]);
        let path = match numbers.below(4) {
            0 => "/api/results".to_owned(),
            1 => format!("/api/puzzles/{number}/stats"),
            _ => format!("/api/puzzles/{number}/guess"),
        };
        let key = numbers.one_of(&["guess_cents", "game", "session_id", "", "price_cents"]);
        let cut = game.chars().take(numbers.below(game.len() + 1)).collect::<String>();
        let cut = format!("\"{cut}\"");
        let value = numbers
            .one_of(&[
                "1",
                "-1",
                "1e400",
                "1.5",
                "null",
                "true",
                "\"x\"",
                "[[]]",
                "{}",
                "\"\\u0000\"",
                "\"\\ud800\"",
                "9223372036854775808",
                &cut,
            ])
            .to_owned();
        let cents = numbers.one_of(&["", "\"guess_cents\":5,", "\"guess_cents\":-5,"]);
        let mut body = format!("{{{cents}\"{key}\":{value}}}").into_bytes();
        if numbers.below(4) == 0 {
            let at = numbers.below(body.len());
            body[at] = u8::try_from(numbers.below(256)).unwrap();
        }
        if numbers.below(8) == 0 {
            body.truncate(numbers.below(body.len()));
        }
        let content_type =
            numbers.one_of(&["application/json", "application/json; charset=utf-8", "text/plain"]);
        let method = numbers.one_of(&["POST", "POST", "POST", "GET", "PUT"]).parse().unwrap();
        let answer = world.send(method, &path, &[("content-type", content_type)], Body::from(body)).await;
        assert!(answer.status.as_u16() < 500, "request {nth}, {path}: {}", answer.text());
        statuses.insert(answer.status.as_u16());
    }
    assert!(statuses.is_superset(&[200, 400, 404, 405, 415, 422].into()), "{statuses:?}");
    assert_eq!(world.store.tables(), tables);
}

/// Lets nobody through twice.
struct Once(Mutex<BTreeSet<String>>);

#[async_trait]
impl RateLimit for Once {
    async fn seconds_to_wait(&self, client: &Parts) -> Option<u64> {
        let name = client.headers.get("x-name").map_or("-", |name| name.to_str().unwrap());
        if self.0.lock().unwrap().insert(name.to_owned()) { None } else { Some(17) }
    }
}

#[tokio::test]
async fn what_players_send_is_limited_and_what_anybody_reads_is_not() {
    let mut world = World::new().await;
    let won = world.game_after(SESSION, &[PRICE]).await;
    let game = world.game_after(SESSION, &[1]).await;
    world.config.rate_limit = Some(Arc::new(Once(Mutex::new(BTreeSet::new()))));
    assert_eq!(world.guess(OPEN, 1, Some(&game)).await.status.as_u16(), 200);
    let tables = world.store.tables();
    let refused = world.report(&won).await;
    check(&refused, 429, "too-many-requests");
    assert_eq!(refused.header("retry-after"), "17");
    assert!(!refused.header("content-security-policy").is_empty());
    for answer in [
        world.guess(UNKNOWN, 1, None).await,
        world.guess(FUTURE, 1, None).await,
        world.send(Method::POST, "/api/results", &[], Body::from("x".repeat(9_999))).await,
    ] {
        assert_eq!(answer, refused);
    }
    assert_eq!(world.store.tables(), tables);
    for path in ["/api/puzzles/1118/stats", "/", "/answers/1118"] {
        assert_eq!(world.get(path).await.status.as_u16(), 200, "{path}");
    }
    assert_eq!(world.get("/api/results").await.status.as_u16(), 405);
    assert_eq!(world.admin(Method::POST, "/pause", None).await.status.as_u16(), 200);
    let other = [("content-type", "application/json"), ("x-name", "ada")];
    let body = json!({ "game": won }).to_string();
    assert_eq!(world.send(Method::POST, "/api/results", &other, Body::from(body)).await.status.as_u16(), 200);
}
