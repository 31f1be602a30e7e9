//! Every kind of token that is not good, in every way to send one.

use axum::http::Method;
use fencepost_adapter_http::Secret;
use fencepost_domain::{id::MAX_PUZZLE_ID, puzzle::MAX_PRICE_CENTS};
use serde_json::json;

use crate::{
    player::{form, guess, report, token_on},
    world::{Answer, FUTURE, OPEN, PUBLISHED, SECRET, UNKNOWN, World},
};

const SESSION: &str = "6b1e9f4c-52d0-4c8e-9d8e-0f6b7a1c2d3e";
const OTHER_SESSION: &str = "another-session-of-somebody";
/// The price of [`OPEN`], as the world imports it.
const PRICE: i64 = OPEN;
/// When both [`OPEN`] and [`FUTURE`] are played.
const BOTH_OPEN: &str = "2026-11-29T00:05:00Z";
/// When [`OPEN`] is not played any more.
const OVER: &str = "2026-11-29T00:10:00Z";
const GOES_NOT_ON: &str = "Your game could not be continued, so this is a new one.";

/// The token of a game with these guesses.
async fn token(world: &World, puzzle: i64, session: &str, guesses: &[i64]) -> String {
    let mut body = json!({ "session_id": session });
    for cents in guesses {
        body["guess_cents"] = (*cents).into();
        body["game"] = guess(world, puzzle, &body).await.json()["game"].clone();
    }
    body["game"].as_str().unwrap().to_owned()
}

/// Sends a token as a guess, as a report and by the form, and checks what is said to each: a
/// status and a problem, and for the form a status and words.
async fn check(world: &World, token: &str, [by_guess, by_report]: [(u16, &str); 2], by_form: (u16, &str)) {
    let guessed = guess(world, OPEN, &json!({ "guess_cents": 1, "game": token })).await;
    check_problem(&guessed, by_guess, token);
    check_problem(&report(world, &json!({ "game": token })).await, by_report, token);
    for fields in [&[("game", token), ("guess", "11.19")][..], &[("game", token)]] {
        let page = form(world, OPEN, fields).await;
        let (status, words) = by_form;
        assert_eq!(page.status.as_u16(), status, "{fields:?}: {}", page.text());
        assert!(page.text().contains(words), "{fields:?}: {}", page.text());
        assert_eq!(token_on(&page), None, "{fields:?}: the game goes on");
        assert_eq!(page.header("cache-control"), "no-store", "{fields:?}");
    }
}

#[track_caller]
fn check_problem(answer: &Answer, (status, kind): (u16, &str), token: &str) {
    let problem = answer.json();
    let kind = format!("urn:fencepost:problem:{kind}");
    assert_eq!((answer.status.as_u16(), &problem["type"]), (status, &json!(kind)), "{token}: {problem}");
    let got = ["content-type", "cache-control"].map(|name| answer.header(name));
    assert_eq!(got, ["application/problem+json", "no-store"], "{token}");
}

const INVALID: [(u16, &str); 2] = [(422, "invalid-game"), (422, "invalid-game")];

#[tokio::test]
async fn the_longest_token_that_there_can_be_is_a_token() {
    let world = World::new().await;
    let sled = json!({ "id": MAX_PUZZLE_ID, "play_date": "2026-11-22", "name": "Sled", "price_cents": 1 });
    world.import(json!([sled])).await;
    world.clock.set("2026-11-22T12:00:00Z".parse().unwrap());
    let longest = token(&world, MAX_PUZZLE_ID, &"x".repeat(64), &[MAX_PRICE_CENTS; 6]).await;
    assert_eq!(longest.len(), 212);
    assert_eq!(report(&world, &json!({ "game": longest })).await.json()["status"], "recorded");
}

#[tokio::test]
async fn a_token_with_one_changed_byte_or_without_its_end_is_none() {
    let world = World::new().await;
    let tables = world.store.tables();
    for guesses in [&[1][..], &[1, PRICE]] {
        let token = token(&world, OPEN, SESSION, guesses).await;
        for at in 0..token.len() {
            let mut changed = token.clone().into_bytes();
            changed[at] ^= 1;
            let changed = String::from_utf8(changed).unwrap();
            check(&world, &changed, INVALID, (422, GOES_NOT_ON)).await;
            // By the form, no token at all is the beginning of a game.
            if at > 0 {
                check(&world, &token[..at], INVALID, (422, GOES_NOT_ON)).await;
            }
        }
    }
    assert_eq!(world.store.tables(), tables);
}

#[tokio::test]
async fn a_token_of_another_secret_or_environment_is_none() {
    let world = World::new().await;
    let tables = world.store.tables();
    let mut elsewhere = World::new().await;
    for (secret, environment) in [
        (SECRET.replace('3', "4"), "test"),
        (format!("{SECRET}x"), "test"),
        (SECRET.to_owned(), "production"),
        (SECRET.to_owned(), "Test"),
        (SECRET.to_owned(), ""),
    ] {
        elsewhere.config.secret = Some(Secret::new(&secret).unwrap());
        elsewhere.config.environment = environment.to_owned();
        for guesses in [&[1][..], &[PRICE], &[1, 1, 1, 1, 1, 1]] {
            let token = token(&elsewhere, OPEN, SESSION, guesses).await;
            check(&world, &token, INVALID, (422, GOES_NOT_ON)).await;
        }
    }
    assert_eq!(world.store.tables(), tables);
}

#[tokio::test]
async fn a_signature_for_another_purpose_is_none_of_a_game() {
    let world = World::new().await;
    let link = world.admin(Method::POST, &format!("/items/{OPEN}/preview"), None).await.json();
    let signature = link["url"].as_str().unwrap().rsplit('=').next().unwrap().to_owned();
    let tables = world.store.tables();
    check(&world, &format!("{OPEN}.1h.{SESSION}.{signature}"), INVALID, (422, GOES_NOT_ON)).await;
    assert_eq!(world.store.tables(), tables);
}

#[tokio::test]
async fn a_token_is_no_good_for_another_puzzle_and_counts_for_its_own() {
    let world = World::new().await;
    world.clock.set(BOTH_OPEN.parse().unwrap());
    let tables = world.store.tables();
    for guesses in [&[1][..], &[FUTURE]] {
        let foreign = token(&world, FUTURE, SESSION, guesses).await;
        for fields in [&[("game", &*foreign), ("guess", "11.19")][..], &[("game", &foreign)]] {
            let page = form(&world, OPEN, fields).await;
            assert_eq!((page.status.as_u16(), token_on(&page)), (409, None), "{}", page.text());
            assert!(page.text().contains(GOES_NOT_ON), "{}", page.text());
        }
        for puzzle in [OPEN, PUBLISHED, UNKNOWN] {
            let answer = guess(&world, puzzle, &json!({ "guess_cents": 1, "game": foreign })).await;
            check_problem(&answer, (409, "foreign-game"), &foreign);
        }
    }
    assert_eq!(world.store.tables(), tables);
    let won = token(&world, FUTURE, SESSION, &[FUTURE]).await;
    let counted = report(&world, &json!({ "game": won })).await.json();
    assert_eq!((&counted["puzzle_id"], &counted["status"]), (&json!(FUTURE), &json!("recorded")));
}

#[tokio::test]
async fn a_token_stays_its_own_sessions() {
    let world = World::new().await;
    let tables = world.store.tables();
    for guesses in [&[1][..], &[PRICE]] {
        let game = token(&world, OPEN, SESSION, guesses).await;
        let body = json!({ "guess_cents": 1, "game": game, "session_id": OTHER_SESSION });
        check_problem(&guess(&world, OPEN, &body).await, (409, "foreign-game"), &game);
        let body = json!({ "game": game, "session_id": OTHER_SESSION });
        check_problem(&report(&world, &body).await, (400, "malformed-json"), &game);
    }
    assert_eq!(world.store.tables(), tables);
    // A form names a session only for a game that begins.
    let game = token(&world, OPEN, SESSION, &[1]).await;
    let page = form(&world, OPEN, &[("game", &game), ("guess", "2"), ("session_id", OTHER_SESSION)]).await;
    assert_eq!(page.status.as_u16(), 200);
    assert!(token_on(&page).unwrap().contains(SESSION));
    assert_eq!(world.store.tables(), tables);
}

#[tokio::test]
async fn a_token_whose_puzzle_is_over_is_past_its_time() {
    let world = World::new().await;
    let begun = token(&world, OPEN, SESSION, &[1]).await;
    let won = token(&world, OPEN, SESSION, &[PRICE]).await;
    let lost = token(&world, OPEN, OTHER_SESSION, &[1, 1, 1, 1, 1, 1]).await;
    let tables = world.store.tables();
    world.clock.set(OVER.parse().unwrap());
    let over = (410, "play-over");
    check(&world, &begun, [over, (409, "game-not-over")], (410, "This game is over")).await;
    for ended in [won, lost] {
        check(&world, &ended, [over, over], (410, "This game is over")).await;
    }
    assert_eq!(world.store.tables(), tables);
}
