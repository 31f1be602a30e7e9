//! How a puzzle was played, on the page of its answer and nowhere else.

use crate::world::editor;
use fencepost_application::Expected;
use std::sync::Arc;

use axum::{body::Body, http::Method};
use expect_test::{Expect, expect};
use fencepost_application::Stop;
use fencepost_domain::{
    id::ReportToken,
    results::{GameOutcome, GameResult, Recorded, ResultReport},
};
use fencepost_ports::{Job, memory::EternalCache};

use crate::world::{OPEN, OVERDUE, PHOTOLESS, PUBLISHED, WITHDRAWN, World, id};

/// So many games of [`OPEN`] that were won with 1 guess, with 2, and so on, or lost.
async fn play(world: &World, games: [u32; 7]) {
    let mut players = 0;
    for (guesses, count) in (1..).zip(games) {
        for _ in 0..count {
            let result = match guesses {
                7 => GameResult::new(GameOutcome::Lost, 6),
                _ => GameResult::new(GameOutcome::Won, guesses),
            };
            players += 1;
            let report = ResultReport {
                puzzle_id: id(OPEN),
                session_id: format!("session-of-player-{players}").parse().unwrap(),
                result: result.unwrap(),
                token: ReportToken::new(format!("report-{players}")),
            };
            let told = world.site.stores.results.report(&report).await.unwrap();
            assert!(matches!(told, Recorded::Recorded { .. }), "{told:?}");
        }
    }
}

/// Lets the answer of [`OPEN`] come out.
async fn publish(world: &World) {
    world.clock.set("2026-11-29T00:10:00Z".parse().unwrap());
    world.site.run_job(Job::Publish, &Stop::default()).await.unwrap();
}

/// What a page has about results.
async fn section(world: &World, path: &str) -> Option<String> {
    let html = world.get(path).await.text();
    let (_, rest) = html.split_once("<section class=\"played\"")?;
    let (section, _) = rest.split_once("</section>").unwrap();
    Some(format!("<section class=\"played\"{section}</section>\n"))
}

async fn check(world: &World, puzzle: i64, expected: Expect) {
    expected.assert_eq(&section(world, &format!("/answers/{puzzle}")).await.unwrap());
}

#[tokio::test]
async fn an_answer_tells_how_it_was_played_in_a_sentence_in_bars_and_in_numbers() {
    let world = World::new().await;
    play(&world, [0, 1, 0, 122, 50, 0, 60]).await;
    publish(&world).await;
    check(&world, OPEN, expect![[r#"
        <section class="played" aria-labelledby="played">
        <h2 id="played">How it was played</h2>
        <p>173 of 233 players found the price, most often with 4 guesses.</p>
        <figure class="chart">
        <figcaption>Players, by the guesses that they needed</figcaption>
        <svg role="img" aria-label="Bar chart. Won with 1 guess: 0, 0%. Won with 2 guesses: 1, &#60;1%. Won with 3 guesses: 0, 0%. Won with 4 guesses: 122, 52%. Won with 5 guesses: 50, 21%. Won with 6 guesses: 0, 0%. Lost: 60, 26%." width="100%" height="18.2em">
        <text x="0" y="1.0em">1</text>
        <text class="chart-count" x="100%" y="1.0em">0 · 0%</text>
        <rect class="chart-track" x="0" y="1.4em" width="100%" height="0.7em" rx="3"/>
        <text x="0" y="3.6em">2</text>
        <text class="chart-count" x="100%" y="3.6em">1 · &#60;1%</text>
        <rect class="chart-track" x="0" y="4.0em" width="100%" height="0.7em" rx="3"/>
        <rect class="chart-won" x="0" y="4.0em" width="1.0%" height="0.7em" rx="3"/>
        <text x="0" y="6.2em">3</text>
        <text class="chart-count" x="100%" y="6.2em">0 · 0%</text>
        <rect class="chart-track" x="0" y="6.6em" width="100%" height="0.7em" rx="3"/>
        <text x="0" y="8.8em">4</text>
        <text class="chart-count" x="100%" y="8.8em">122 · 52%</text>
        <rect class="chart-track" x="0" y="9.2em" width="100%" height="0.7em" rx="3"/>
        <rect class="chart-won" x="0" y="9.2em" width="100.0%" height="0.7em" rx="3"/>
        <text x="0" y="11.4em">5</text>
        <text class="chart-count" x="100%" y="11.4em">50 · 21%</text>
        <rect class="chart-track" x="0" y="11.8em" width="100%" height="0.7em" rx="3"/>
        <rect class="chart-won" x="0" y="11.8em" width="40.9%" height="0.7em" rx="3"/>
        <text x="0" y="14.0em">6</text>
        <text class="chart-count" x="100%" y="14.0em">0 · 0%</text>
        <rect class="chart-track" x="0" y="14.4em" width="100%" height="0.7em" rx="3"/>
        <text x="0" y="16.6em">Lost</text>
        <text class="chart-count" x="100%" y="16.6em">60 · 26%</text>
        <rect class="chart-track" x="0" y="17.0em" width="100%" height="0.7em" rx="3"/>
        <rect class="chart-lost" x="0" y="17.0em" width="49.1%" height="0.7em" rx="3"/>
        </svg>
        </figure>
        <details class="chart-numbers">
        <summary>The same in numbers</summary>
        <div class="wide" role="group" aria-label="Table" tabindex="0">
        <table>
        <thead>
        <tr><th scope="col">Game</th><th scope="col">Players</th><th scope="col">Share</th></tr>
        </thead>
        <tbody>
        <tr><th scope="row">Won with 1 guess</th><td>0</td><td>0%</td></tr>
        <tr><th scope="row">Won with 2 guesses</th><td>1</td><td>&#60;1%</td></tr>
        <tr><th scope="row">Won with 3 guesses</th><td>0</td><td>0%</td></tr>
        <tr><th scope="row">Won with 4 guesses</th><td>122</td><td>52%</td></tr>
        <tr><th scope="row">Won with 5 guesses</th><td>50</td><td>21%</td></tr>
        <tr><th scope="row">Won with 6 guesses</th><td>0</td><td>0%</td></tr>
        <tr><th scope="row">Lost</th><td>60</td><td>26%</td></tr>
        </tbody>
        </table>
        </div>
        </details>
        </section>
    "#]]).await;
    let page = world.get(&format!("/answers/{OPEN}")).await;
    assert!(!page.text().contains("style="), "the policy forbids it");
}

#[tokio::test]
async fn an_answer_that_nobody_played_says_so() {
    let world = World::new().await;
    check(
        &world,
        PHOTOLESS,
        expect![[r#"
        <section class="played" aria-labelledby="played">
        <h2 id="played">How it was played</h2>
        <p class="empty">Nobody told how their game went, so there is nothing to show.</p>
        </section>
    "#]],
    )
    .await;
}

#[tokio::test]
async fn results_of_one_puzzle_are_on_no_page_but_its_own_and_not_before_its_answer() {
    let mut world = World::new().await;
    let before = world.get(&format!("/answers/{PUBLISHED}")).await;
    play(&world, [3, 0, 0, 0, 0, 0, 1]).await;
    for puzzle in [OPEN, OVERDUE, WITHDRAWN] {
        assert_eq!(section(&world, &format!("/answers/{puzzle}")).await, None, "{puzzle}");
    }
    world.config.site.cache = Arc::new(EternalCache::new());
    assert_eq!(world.get(&format!("/answers/{PUBLISHED}")).await, before, "read anew");
    publish(&world).await;
    assert!(section(&world, &format!("/answers/{OPEN}")).await.unwrap().contains("3 of 4 players"));
    world.site.withdraw(&editor(), id(OPEN), Expected::ANYTHING).await.unwrap();
    assert_eq!(section(&world, &format!("/answers/{OPEN}")).await, None);
}

#[tokio::test]
async fn a_preview_tells_nothing_of_results() {
    let world = World::new().await;
    play(&world, [3, 0, 0, 0, 0, 0, 1]).await;
    for out in [false, true] {
        if out {
            publish(&world).await;
        }
        let link = world.admin(Method::POST, &format!("/items/{OPEN}/preview"), None).await.json();
        let path = link["url"].as_str().unwrap().strip_prefix("https://example.org").unwrap().to_owned();
        let preview = world.send(Method::GET, &path, &[], Body::empty()).await;
        assert_eq!(preview.status.as_u16(), 200);
        assert!(!preview.text().contains("played") && !preview.text().contains("players"), "out: {out}");
    }
}

#[tokio::test]
async fn the_page_and_the_statistics_tell_the_same() {
    let world = World::new().await;
    play(&world, [1, 0, 0, 0, 0, 2, 1]).await;
    publish(&world).await;
    let stats = world.get(&format!("/api/puzzles/{OPEN}/stats")).await.json();
    assert_eq!((&stats["won"], &stats["results"]), (&3.into(), &4.into()));
    let section = section(&world, &format!("/answers/{OPEN}")).await.unwrap();
    assert!(section.contains("3 of 4 players found the price, most often with 6 guesses."), "{section}");
}
