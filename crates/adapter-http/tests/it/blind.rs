//! Two sites that differ in a price and in nothing else, asked and played alike. As long as
//! every guess is judged alike, no byte tells them apart, in no header and at no time before
//! the answer is out: whatever is told is derived from the verdicts, and not from the price.

use axum::{body::Body, http::Method};
use fencepost_application::Stop;
use fencepost_ports::Job;
use serde_json::{Value, json};

use crate::{
    player::{form, guess, report, token_on},
    world::{Answer, FUTURE, OPEN, PUBLISHED, World, row},
};

/// A price, and guesses at it and at all that are near to it: far and close below, right, and
/// close and far above.
const PRICE: i64 = 10_000;
const GUESSES: [(i64, &str); 5] =
    [(2_500, "25"), (9_625, "96.25"), (10_025, "$100,25"), (10_475, "104.75"), (30_000, "300")];

/// Everything that was asked, with what was answered.
struct Told(Vec<(String, Answer)>);

impl Told {
    fn note(&mut self, what: impl Into<String>, answer: Answer) -> &Answer {
        self.0.push((what.into(), answer));
        &self.0.last().unwrap().1
    }
}

/// A site where the open puzzle costs so much.
async fn site(price: i64) -> World {
    let world = World::new().await;
    let mut open = row(OPEN, "2026-11-28", "Clock", Some("clock"));
    open["price_cents"] = price.into();
    world.import(json!([open])).await;
    world
}

/// Every page and every method that anybody may try.
async fn read(world: &World, told: &mut Told, when: &str) {
    for path in ["/", "/answers", "/feed.xml", "/sitemap.xml"].map(str::to_owned).into_iter().chain(
        [OPEN, FUTURE, PUBLISHED].into_iter().flat_map(|puzzle| {
            [format!("/play/{puzzle}"), format!("/answers/{puzzle}"), format!("/api/puzzles/{puzzle}/stats")]
        }),
    ) {
        for method in [Method::GET, Method::HEAD, Method::OPTIONS, Method::PUT] {
            let answer = world.send(method.clone(), &path, &[], Body::empty()).await;
            let tag = answer.header("etag").to_owned();
            told.note(format!("{method} {path} {when}"), answer);
            let answer = world.get_with(&path, &[("if-none-match", &tag)]).await;
            told.note(format!("GET {path} with its tag {when}"), answer);
        }
    }
}

/// A game by the API, to its end and beyond it, and its result.
async fn play_by_api(world: &World, told: &mut Told, when: &str, game: &[i64]) {
    let mut body = json!({});
    for cents in game.iter().chain([&1]) {
        body["guess_cents"] = (*cents).into();
        let answer =
            told.note(format!("a guess of {cents} in {game:?} {when}"), guess(world, OPEN, &body).await);
        if let Some(token) = answer.json().get("game") {
            body["game"] = token.clone();
        }
    }
    for nth in 1..=2 {
        let answer = report(world, &json!({ "game": body["game"] })).await;
        told.note(format!("report {nth} of {game:?} {when}"), answer);
    }
}

/// A game by the form, to its end and beyond it.
async fn play_by_form(world: &World, told: &mut Told, when: &str, game: &[&str]) {
    let mut token = None;
    for typed in game.iter().chain(&["1", ""]) {
        let mut fields = vec![("guess", *typed)];
        fields.extend(token.as_deref().map(|token| ("game", token)));
        let page = form(world, OPEN, &fields).await;
        token = token_on(told.note(format!("{typed:?} by the form in {game:?} {when}"), page));
    }
}

async fn play(world: &World, told: &mut Told, when: &str) {
    let [low, below, right, above, high] = GUESSES.map(|(cents, _)| cents);
    for game in [vec![right], vec![low, above, below, right], vec![low, high, below, above, low, high]] {
        play_by_api(world, told, when, &game).await;
    }
    let [low, below, right, above, high] = GUESSES.map(|(_, typed)| typed);
    for game in [vec![right], vec![high, below, above, right], vec![low, high, below, above, low, high]] {
        play_by_form(world, told, when, &game).await;
    }
    for body in [json!({}), json!({ "guess_cents": 0 }), json!({ "guess_cents": 1, "game": "x" })] {
        told.note(format!("{body} {when}"), guess(world, OPEN, &body).await);
        told.note(format!("{body} as a report {when}"), report(world, &body).await);
    }
    for fields in [&[][..], &[("guess", "eighteen")], &[("guess", "0")], &[("guess", "1"), ("game", "x")]] {
        told.note(format!("{fields:?} {when}"), form(world, OPEN, fields).await);
    }
}

/// Everything that a site tells before its answer is out.
async fn told_of(world: &World) -> Told {
    let mut told = Told(Vec::new());
    for when in ["2026-11-28T15:00:00Z", "2026-11-28T23:59:59.999Z", "2026-11-29T00:05:00Z"] {
        world.clock.set(when.parse().unwrap());
        read(world, &mut told, when).await;
        play(world, &mut told, when).await;
        read(world, &mut told, &format!("{when}, played")).await;
    }
    world.clock.set("2026-11-29T00:09:59.999Z".parse().unwrap());
    read(world, &mut told, "at the end").await;
    told
}

/// The first of all answers in which two sites differ.
fn difference(one: &Told, other: &Told) -> Option<String> {
    assert_eq!(one.0.len(), other.0.len());
    let differs = |((what, a), (_, b)): &(&(String, Answer), &(String, Answer))| {
        (a != b).then(|| format!("{what}: {a:?}, {} and {b:?}, {}", a.text(), b.text()))
    };
    one.0.iter().zip(&other.0).find_map(|pair| differs(&pair))
}

#[tokio::test]
async fn two_prices_that_are_judged_alike_are_told_apart_by_nothing_before_the_answer() {
    let world = site(PRICE).await;
    let told = told_of(&world).await;
    let statuses: std::collections::BTreeSet<_> = told.0.iter().map(|(_, it)| it.status.as_u16()).collect();
    assert!(statuses.is_superset(&[200, 304, 400, 404, 405, 409, 422].into()), "{statuses:?}");
    for price in [9_990, 9_999, 10_001, 10_075] {
        let other = site(price).await;
        assert_eq!(difference(&told, &told_of(&other).await), None, "{PRICE} and {price}");
        // Which is not because they are one site.
        for world in [&world, &other] {
            world.clock.set("2026-11-29T00:10:00Z".parse().unwrap());
            world.site.run_job(Job::Publish, &Stop::default()).await.unwrap();
        }
        let path = format!("/answers/{OPEN}");
        assert_ne!(world.get(&path).await, other.get(&path).await, "{PRICE} and {price}");
    }
}

#[tokio::test]
async fn a_price_that_is_judged_otherwise_is_told_by_its_verdicts() {
    let told = told_of(&site(PRICE).await).await;
    for price in [5_000, 11_000] {
        let difference = difference(&told, &told_of(&site(price).await).await).unwrap();
        assert!(difference.starts_with("a guess of 10025 in [10025]"), "{difference}");
    }
}

#[tokio::test]
async fn how_others_have_played_is_told_by_nothing_before_the_answer() {
    let (quiet, busy) = (site(PRICE).await, site(PRICE).await);
    for nth in 0..3 {
        let session = format!("session-number-{nth}");
        let won: Value =
            guess(&busy, OPEN, &json!({ "guess_cents": PRICE, "session_id": session })).await.json();
        assert_eq!(report(&busy, &json!({ "game": won["game"] })).await.json()["slot"], nth + 1);
    }
    let mut told = [Told(Vec::new()), Told(Vec::new())];
    for (world, told) in [&quiet, &busy].into_iter().zip(&mut told) {
        for when in ["2026-11-28T15:00:00Z", "2026-11-29T00:09:59.999Z"] {
            world.clock.set(when.parse().unwrap());
            read(world, told, when).await;
            let answer =
                guess(world, OPEN, &json!({ "guess_cents": 1, "session_id": "session-number-x" })).await;
            told.note("a guess", answer);
        }
    }
    assert_eq!(difference(&told[0], &told[1]), None);
}
