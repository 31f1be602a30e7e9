//! The daily game as a page: playable with a form and nothing else.

use std::sync::Arc;

use async_trait::async_trait;
use axum::{
    body::Body,
    http::{Method, request::Parts},
};
use fencepost_adapter_http::RateLimit;
use fencepost_domain::{id::PuzzleId, play::Play, reading::Snapshot, time::UnixMillis};
use fencepost_ports::{Recorded, ResultReport, ResultsLog, StoreError};

use crate::world::{
    Answer, FUTURE, NEVER_PUBLIC, OPEN, OVERDUE, PHOTOLESS, PUBLISHED, UNKNOWN, WITHDRAWN, World, id, row,
};

/// The page of [`OPEN`], which costs $11.19.
const PATH: &str = "/play/1119";

impl World {
    /// Guesses in the game that stands on a page, as its form would.
    async fn guess_on(&self, page: Option<&Answer>, typed: &str) -> Answer {
        let game = page.and_then(token_on);
        let mut fields = vec![("guess", typed)];
        fields.extend(game.as_deref().map(|game| ("game", game)));
        self.submit(PATH, &[], &fields).await
    }
}

/// A log that can be read and takes no report.
struct Reluctant(Arc<dyn ResultsLog>);

#[async_trait]
impl ResultsLog for Reluctant {
    async fn report(&self, _: &ResultReport) -> Result<Recorded, StoreError> {
        Err(StoreError::unknown("/var/lib/secret.db does not answer"))
    }

    async fn play(&self, now: Option<UnixMillis>, puzzle: PuzzleId) -> Result<Snapshot<Play>, StoreError> {
        self.0.play(now, puzzle).await
    }
}

/// Lets nobody through.
struct Nobody;

#[async_trait]
impl RateLimit for Nobody {
    async fn seconds_to_wait(&self, _: &Parts) -> Option<u64> {
        Some(17)
    }
}

/// The hidden field of the form on a page.
fn token_on(page: &Answer) -> Option<String> {
    let html = page.text();
    let (_, rest) = html.split_once("<input type=\"hidden\" name=\"game\" value=\"")?;
    Some(rest.split('"').next()?.to_owned())
}

/// The words of an element with this id.
fn words(page: &Answer, id: &str) -> Option<String> {
    let html = page.text();
    let (_, rest) = html.split_once(&format!("id=\"{id}\""))?;
    let (_, rest) = rest.split_once('>')?;
    Some(rest.split('<').next()?.to_owned())
}

/// Checks a page for one player.
#[track_caller]
fn check(page: &Answer, status: u16, expected: &[&str]) {
    let html = page.text();
    assert_eq!(page.status.as_u16(), status, "{html}");
    let got = ["content-type", "cache-control", "x-robots-tag", "etag"].map(|name| page.header(name));
    assert_eq!(got, ["text/html; charset=utf-8", "no-store", "noindex", "-"]);
    let revision = if html.contains("id=\"game\"") || status == 410 { "4" } else { "-" };
    assert_eq!(page.header("x-publication-revision"), revision);
    for words in expected {
        assert!(html.contains(words), "{words:?} is not on the page: {html}");
    }
}

#[tokio::test]
async fn a_game_is_won_with_forms_alone_and_counted_once() {
    let world = World::new().await;
    let home = world.get("/").await;
    assert!(home.text().contains("<form class=\"guess\" method=\"post\" action=\"/play/1119#game\""));
    assert_eq!(token_on(&home), None);

    let first = world.guess_on(Some(&home), "20").await;
    check(&first, 200, &["$20.00", "Guess 2 of 6", "Lower", "autofocus"]);
    assert!(!first.text().contains("value=\"20\""), "a guess that was judged is not typed again");
    assert_eq!(words(&first, "said").unwrap(), "$20.00: the price is lower. You have 5 guesses left.");
    let second = world.guess_on(Some(&first), "$ 11,00").await;
    check(&second, 200, &["$20.00", "$11.00", "Guess 3 of 6", "Higher, very close"]);
    assert_eq!(
        words(&second, "said").unwrap(),
        "$11.00: the price is higher, and you are very close. You have 4 guesses left."
    );
    assert_eq!(world.results(OPEN).await, Some(0));

    let third = world.guess_on(Some(&second), "11.20").await;
    check(
        &third,
        200,
        &[
            "data-outcome=\"won\"",
            "data-used=\"3\"",
            "Your result is counted, as number 1 of this puzzle.",
            "Fencepost No. 1119 3/6\n🔽🟡🟢\nhttps://example.org/play/1119</textarea>",
        ],
    );
    assert_eq!(
        words(&third, "said").unwrap(),
        "You found it with 3 guesses: $11.20 is right, or as good as."
    );
    assert!(!third.text().contains("name=\"guess\""), "nobody guesses after the end");
    assert_eq!(world.results(OPEN).await, Some(1));

    // The same once more: by the button to go back, and by a reload.
    let again = world.guess_on(Some(&second), "11.20").await;
    assert_eq!((again.status, &again.body), (third.status, &third.body));
    let token = third.text().split("data-game=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let looked = world.submit(PATH, &[], &[("game", &token)]).await;
    assert_eq!((looked.status, &looked.body), (third.status, &third.body));
    let after = world.submit(PATH, &[], &[("game", &token), ("guess", "1")]).await;
    check(&after, 409, &["data-outcome=\"won\"", "as number 1 of this puzzle"]);
    assert_eq!(world.results(OPEN).await, Some(1));
}

#[tokio::test]
async fn a_game_is_lost_with_the_sixth_guess() {
    let world = World::new().await;
    let mut page = world.get(PATH).await;
    for nth in 1..=6 {
        page = world.guess_on(Some(&page), "1").await;
        check(&page, 200, &["Higher"]);
        assert_eq!(token_on(&page).is_some(), nth < 6, "guess {nth}");
    }
    check(&page, 200, &["data-outcome=\"lost\"", "Fencepost No. 1119 X/6\n🔼🔼🔼🔼🔼🔼\n"]);
    assert_eq!(words(&page, "said").unwrap(), "$1.00: the price is higher. That was your last guess.");
    let view = world.site.stores.posts.answer(world.clock.now(), id(OPEN)).await.unwrap().value.unwrap();
    assert_eq!((view.stats.lost, view.stats.results()), (1, 1));
}

#[tokio::test]
async fn what_is_no_guess_costs_none_and_is_told_beside_the_form() {
    let world = World::new().await;
    let first = world.guess_on(None, "20").await;
    for (typed, words) in [
        ("eighteen", "That is not a price. Write it in dollars and cents, such as 18.99."),
        ("1.899", "That is not a price."),
        ("0", "A guess is between $0.01 and $1,000,000.00."),
        ("1000000.01", "A guess is between $0.01 and $1,000,000.00."),
        ("99999999999999999999", "A guess is between $0.01 and $1,000,000.00."),
    ] {
        for page in [None, Some(&first)] {
            let answer = world.guess_on(page, typed).await;
            check(&answer, 422, &[words, &format!("value=\"{typed}\" aria-invalid=\"true\"")]);
            let next = if page.is_some() { "Guess 2 of 6" } else { "Guess 1 of 6" };
            assert!(answer.text().contains(next), "{typed}");
            assert_eq!(token_on(&answer).is_some(), page.is_some(), "{typed}");
        }
    }
    let hostile = world.guess_on(None, "\"><script>alert(1)</script>").await;
    check(&hostile, 422, &["&#34;&#62;&#60;script&#62;"]);
    let empty = world.guess_on(Some(&first), "").await;
    check(&empty, 200, &["Guess 2 of 6", "$20.00"]);
}

#[tokio::test]
async fn a_game_that_cannot_go_on_is_replaced_by_a_new_one() {
    let world = World::new().await;
    world.import(serde_json::json!([row(900, "2026-11-22", "Sled", None)])).await;
    let first = world.guess_on(None, "20").await;
    let token = token_on(&first).unwrap();
    let new_game = ["Your game could not be continued, so this is a new one.", "Guess 1 of 6"];
    for tampered in [token.replace("2000l", "2000h"), token.to_uppercase(), "x".repeat(3_000)] {
        let answer = world.submit(PATH, &[], &[("game", &tampered), ("guess", "11")]).await;
        check(&answer, 422, &new_game);
        assert_eq!(token_on(&answer), None);
        // There is nothing wrong with what was typed.
        assert!(answer.text().contains("value=\"11\" aria-describedby=\"note\""), "{}", answer.text());
    }
    // Another puzzle's, while that one was played.
    let noon = world.clock.now();
    world.clock.set("2026-11-22T12:00:00Z".parse().unwrap());
    let foreign = token_on(&world.submit("/play/900", &[], &[("guess", "1")]).await).unwrap();
    world.clock.set(noon);
    check(&world.submit(PATH, &[], &[("game", &foreign), ("guess", "11")]).await, 409, &new_game);
    assert_eq!(world.results(OPEN).await, Some(0));
}

#[tokio::test]
async fn yesterdays_puzzle_is_played_to_the_end_of_its_grace_window() {
    let world = World::new().await;
    let begun = world.guess_on(None, "20").await;
    world.clock.set("2026-11-29T00:09:59.999Z".parse().unwrap());
    let home = world.get("/").await.text();
    assert!(home.contains("data-puzzle=\"1120\""), "today's puzzle is on the front page");
    assert!(home.contains("<a href=\"/play/1119\">No. 1119 of "), "{home}");
    assert_eq!(world.get(PATH).await.status, 200);
    let won = world.guess_on(Some(&begun), "11.19").await;
    check(&won, 200, &["data-outcome=\"won\"", "as number 1 of this puzzle"]);
    assert_eq!((world.results(OPEN).await, world.results(FUTURE).await), (Some(1), Some(0)));

    world.clock.set("2026-11-29T00:10:00Z".parse().unwrap());
    let over = ["This game is over", "href=\"/answers/1119\""];
    check(&world.guess_on(Some(&begun), "11.19").await, 410, &over);
    let page = world.get(PATH).await;
    assert_eq!((page.status.as_u16(), page.header("x-robots-tag")), (410, "noindex"));
    assert!(over.iter().all(|words| page.text().contains(words)), "{}", page.text());
    assert!(!world.get("/").await.text().contains("/play/1119"));
    assert_eq!(world.results(OPEN).await, Some(1));
}

#[tokio::test]
async fn a_puzzle_that_nobody_may_know_of_is_an_address_of_nothing() {
    let world = World::new().await;
    let nothing = world.get("/nope").await;
    for puzzle in [FUTURE, UNKNOWN, NEVER_PUBLIC] {
        let path = format!("/play/{puzzle}");
        assert_eq!(world.get(&path).await, nothing, "{path}");
        assert_eq!(world.submit(&path, &[], &[("guess", "1")]).await, nothing, "POST {path}");
    }
    for path in ["/play/", "/play/x", "/play/01119", "/play/1119/", "/play/%31119", "/play"] {
        assert_eq!(world.get(path).await, nothing, "{path}");
    }
    for puzzle in [PUBLISHED, PHOTOLESS, WITHDRAWN, OVERDUE] {
        let page = world.get(&format!("/play/{puzzle}")).await;
        assert_eq!(page.status.as_u16(), 410, "{puzzle}");
    }
}

#[tokio::test]
async fn the_page_of_a_game_is_everybodys_before_the_first_guess() {
    let world = World::new().await;
    let page = world.get(PATH).await;
    let got = ["cache-control", "x-robots-tag", "x-publication-revision"].map(|name| page.header(name));
    assert_eq!(got, ["public, max-age=0, must-revalidate", "noindex", "4"]);
    assert!(page.text().contains("<link rel=\"canonical\" href=\"https://example.org/\">"));
    assert!(page.text().contains("<meta name=\"robots\" content=\"noindex\">"));
    assert!(!world.get("/").await.text().contains("noindex"), "the front page may be found");
    assert!(!page.text().contains("data-game"), "no token");
    let again = world.get_with(PATH, &[("if-none-match", page.header("etag"))]).await;
    assert_eq!(again.status.as_u16(), 304);
    assert_eq!(world.get("/?guess=11.19&game=x").await.body, world.get("/").await.body);
}

#[tokio::test]
async fn neither_the_page_nor_what_is_said_tells_the_price() {
    let world = World::new().await;
    let mut pages = vec![world.get("/").await, world.get(PATH).await];
    let mut page = world.guess_on(None, "11.10").await;
    for typed in ["11.10", "11.32", "30", "1", "2"] {
        page = world.guess_on(Some(&page), typed).await;
        pages.push(page.clone());
    }
    pages.push(world.guess_on(None, "11.21").await);
    for page in pages {
        let html = page.text().replace("No. 1119", "").replace("/1119", "").replace("\"1119\"", "");
        // The token tells its own puzzle.
        let html = html.replace("\"1119.", "");
        for price in ["11.19", "1119", "11,19"] {
            assert!(!html.contains(price), "{html}");
        }
    }
}

#[tokio::test]
async fn a_form_that_cannot_be_read_is_refused_with_a_page() {
    let world = World::new().await;
    let json = [("content-type", "application/json")];
    let answer = world.send(Method::POST, PATH, &json, Body::from("{\"guess\":1}")).await;
    check_refused(&answer, 415);
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let answer = world.send(Method::POST, PATH, &form, Body::from("x".repeat(5_000))).await;
    check_refused(&answer, 413);
    let answer = world.send(Method::POST, PATH, &form, Body::from(vec![0xff; 100])).await;
    check(&answer, 200, &["Guess 1 of 6"]);
    let answer = world.send(Method::PUT, PATH, &form, Body::empty()).await;
    assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, "GET,HEAD,POST"));
}

#[tokio::test]
async fn a_form_of_another_site_puts_no_game_before_a_player() {
    let world = World::new().await;
    let token = token_on(&world.guess_on(None, "20").await).unwrap();
    let body = || Body::from(format!("game={token}"));
    let form = ("content-type", "application/x-www-form-urlencoded");
    for site in ["cross-site", "same-site", "junk"] {
        let answer = world.send(Method::POST, PATH, &[form, ("sec-fetch-site", site)], body()).await;
        check_refused(&answer, 403);
        assert!(!answer.text().contains(&token), "{site}");
    }
    for own in ["same-origin", "none"] {
        let answer = world.send(Method::POST, PATH, &[form, ("sec-fetch-site", own)], body()).await;
        check(&answer, 200, &["$20.00", "Guess 2 of 6"]);
    }
}

#[track_caller]
fn check_refused(answer: &Answer, status: u16) {
    assert_eq!(answer.status.as_u16(), status);
    assert!(answer.text().contains("Your guess could not be read"), "{}", answer.text());
    assert_eq!(answer.header("cache-control"), "no-store");
}

#[tokio::test]
async fn a_site_without_a_secret_shows_its_puzzle_and_takes_no_guess() {
    let mut world = World::new().await;
    world.config.secret = None;
    for path in ["/", PATH] {
        let page = world.get(path).await;
        assert_eq!(page.status.as_u16(), 200);
        assert!(page.text().contains("hold on to it") && !page.text().contains("<form"), "{}", page.text());
    }
    check(&world.guess_on(None, "1").await, 409, &["There is no game here"]);
    world.clock.set("2026-11-29T00:05:00Z".parse().unwrap());
    let home = world.get("/").await.text();
    assert!(!home.contains("can still be played"), "{home}");
}

#[tokio::test]
async fn one_form_too_many_is_answered_with_a_page_that_says_when_to_come_again() {
    let mut world = World::new().await;
    world.config.rate_limit = Some(Arc::new(Nobody));
    let refused = world.guess_on(None, "11.19").await;
    assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (429, "17"));
    assert_eq!(refused.header("cache-control"), "no-store");
    assert!(refused.text().contains("please try again in 17 seconds"), "{}", refused.text());
    assert_eq!(world.get(PATH).await.status.as_u16(), 200);
}

#[tokio::test]
async fn a_browser_plays_under_the_name_that_it_has_drawn() {
    let world = World::new().await;
    let named = |name| vec![("guess", "20"), ("session_id", name)];
    for name in ["6b1e9f4c52d04c8e9d8e0f6b7a1c2d3e", "another-session-of-somebody"] {
        let page = world.submit(PATH, &[], &named(name)).await;
        assert!(token_on(&page).unwrap().contains(&format!(".{name}.")), "{}", page.text());
    }
    check(&world.submit(PATH, &[], &named("no name")).await, 200, &["Guess 2 of 6"]);
}

#[tokio::test]
async fn whoever_goes_back_and_ends_the_game_otherwise_is_told_that_the_first_result_counts() {
    let world = World::new().await;
    let first = world.guess_on(None, "20").await;
    let won = world.guess_on(Some(&first), "11.19").await;
    check(&won, 200, &["Your result is counted, as number 1 of this puzzle."]);
    let second = world.guess_on(Some(&first), "12").await;
    let otherwise = world.guess_on(Some(&second), "11.19").await;
    check(
        &otherwise,
        200,
        &["Fencepost No. 1119 3/6", "Your first result counts, as number 1 of this puzzle."],
    );
    assert_eq!(world.results(OPEN).await, Some(1));
}

#[tokio::test]
async fn a_result_that_cannot_be_counted_is_offered_again() {
    let mut world = World::new().await;
    let log = world.site.stores.results.clone();
    world.config.site.stores.results = Arc::new(Reluctant(log));
    let page = world.guess_on(None, "11.19").await;
    check(&page, 200, &["data-outcome=\"won\"", "could not be counted just now", ">Count it now</button>"]);
    world.config.site.stores.results = world.site.stores.results.clone();
    let token = token_on(&page).expect("the button has a form");
    let counted = world.submit(PATH, &[], &[("game", &token)]).await;
    check(&counted, 200, &["Your result is counted, as number 1 of this puzzle."]);
}

#[tokio::test]
async fn a_full_puzzle_says_so_and_the_game_is_over_all_the_same() {
    let world = World::new().await;
    world.store.plant_results(id(OPEN), 50_000).unwrap();
    let page = world.guess_on(None, "11.19").await;
    check(&page, 200, &["data-outcome=\"won\"", "The first 50,000 results of a puzzle are counted"]);
}

#[tokio::test]
async fn what_is_shared_of_a_game_that_was_over_at_once_is_a_single_sign() {
    let world = World::new().await;
    let page = world.guess_on(None, "11.19").await;
    check(&page, 200, &["Fencepost No. 1119 1/6\n🟢\n", "You found it with the first guess: $11.19"]);
}
