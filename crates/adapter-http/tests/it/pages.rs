//! What stands on the pages.

use expect_test::{Expect, expect};
use fencepost_application::Stop;
use fencepost_ports::Job;
use serde_json::json;

use crate::world::{World, row};

/// The content of `main`, the rest being the same everywhere.
async fn check(world: &World, path: &str, expected: Expect) {
    let html = world.get(path).await.text();
    let (_, main) = html.split_once("<main id=\"main\" tabindex=\"-1\">\n").unwrap();
    let (main, _) = main.split_once("\n</main>").unwrap();
    expected.assert_eq(main);
}

#[tokio::test]
async fn the_front_page_and_an_answer() {
    let world = World::new().await;
    check(&world, "/", expect![[r#"
        <article class="lot">
        <header class="lot-head">
        <p class="eyebrow">No. 1119 · <time datetime="2026-11-28">28 November 2026</time></p>
        <h1>Clock</h1>
        </header>
        <figure class="lot-figure">
        <img class="photo" src="/images/5939d65ad30d4e3880e2f69d2ab123d4eb53eed0e12bb429a2eef3a4098daa4b.webp" alt="Photo of the item: Clock" width="960" height="720" decoding="async">
        <figcaption><span class="visually-hidden">Its price is not public yet</span><span class="tag" aria-hidden="true">$ ?.??</span></figcaption>
        </figure>
        <div class="lot-text">
        <section class="game" id="game" aria-labelledby="game-title" data-puzzle="1119" data-date="2026-11-28">
        <h2 id="game-title">What does it cost?</h2>
        <p class="rules">You have 6 guesses. After each you hear whether the price is higher or lower, and whether you are very close: within 5 % or 25 cents. Within 1 % or 5 cents, you have found it.</p>
        <form class="guess" method="post" action="/play/1119#game" autocomplete="off">
        <label for="guess">Guess 1 of 6, in US dollars</label>
        <div class="guess-line">
        <input id="guess" name="guess" type="text" inputmode="decimal" enterkeyhint="go" maxlength="20" required spellcheck="false" placeholder="0.00">
        <button class="button" type="submit">Guess</button>
        </div>
        </form>
        </section>
        <p class="visually-hidden" id="heard" role="status"></p>
        <section class="record" id="record" aria-labelledby="record-title" hidden>
        <h2 id="record-title">Your games</h2>
        <dl>
        <div><dt>Played</dt><dd data-record="played"></dd></div>
        <div><dt>Found</dt><dd data-record="won"></dd></div>
        <div><dt>Days in a row</dt><dd data-record="streak"></dd></div>
        <div><dt>Longest row</dt><dd data-record="longest"></dd></div>
        </dl>
        </section>
        <dl class="facts">
        <div><dt>Open until</dt><dd><time datetime="2026-11-29T00:10:00Z">00:10 UTC on 29 November 2026</time></dd></div>
        <div><dt>The answer comes</dt><dd>at the same instant</dd></div>
        <div class="countdown" id="countdown" data-next="2026-11-29T00:00:00Z" data-end="2026-11-29T00:10:00Z" hidden><dt></dt><dd></dd></div>
        </dl>
        <p><a class="onward" href="/answers/1119">Where the answer will be</a></p>
        </div>
        </article>
        <section class="latest" aria-labelledby="latest">
        <h2 id="latest">The newest answers</h2>
        <ol class="cards" role="list">
        <li class="card">
        <img class="thumb" src="/images/09e1393524a74473917131d161bc9fc02964a7a77d6f5ac9716ab995c8100fbf.webp" alt="" width="160" height="120" loading="lazy" decoding="async">
        <div class="card-text">
        <h3><a href="/answers/1118"><bdi>Lamp &#38; shade</bdi></a></h3>
        <p class="eyebrow">No. 1118 · <time datetime="2026-11-27">27 November 2026</time></p>
        </div>
        <data class="tag tag-small" value="11.18">$11.18</data>
        </li>
        <li class="card">
        <span class="thumb thumb-empty" aria-hidden="true"></span>
        <div class="card-text">
        <h3><a href="/answers/1117"><bdi>Vase</bdi></a></h3>
        <p class="eyebrow">No. 1117 · <time datetime="2026-11-26">26 November 2026</time></p>
        </div>
        <data class="tag tag-small" value="11.17">$11.17</data>
        </li>
        </ol>
        <p><a class="onward" href="/answers">All answers</a></p>
        </section>
    "#]]).await;
    check(&world, "/answers/1118", expect![[r#"
        <article class="lot">
        <header class="lot-head">
        <p class="eyebrow">Answer No. 1118 · <time datetime="2026-11-27">27 November 2026</time></p>
        <h1>Lamp &#38; shade</h1>
        </header>
        <figure class="lot-figure">
        <img class="photo" src="/images/09e1393524a74473917131d161bc9fc02964a7a77d6f5ac9716ab995c8100fbf.webp" alt="Photo of the item: Lamp &#38; shade" width="960" height="720" decoding="async">
        <figcaption><span class="visually-hidden">It costs</span> <data class="tag" value="11.18">$11.18</data></figcaption>
        </figure>
        <div class="lot-text prose">
        <h2 class="visually-hidden">About the item</h2>
        <p>About the <em>Lamp &amp; shade</em>.</p>

        </div>
        </article>
        <section class="played" aria-labelledby="played">
        <h2 id="played">How it was played</h2>
        <p class="empty">Nobody told how their game went, so there is nothing to show.</p>
        </section>
        <nav class="neighbours" aria-label="Other answers">
        <a class="neighbour neighbour-previous" rel="prev" href="/answers/1117"><span class="eyebrow">Earlier · <time datetime="2026-11-26">26 November 2026</time></span><bdi class="neighbour-name">Vase</bdi></a>
        </nav>
    "#]]).await;
    check(&world, "/answers/1119", expect![[r#"
        <section class="notice">
        <p class="tag tag-notice" aria-hidden="true">$ ?.??</p>
        <h1>Not yet</h1>
        <p class="lead">The answer to puzzle 1119 is still a secret. It comes here at <time datetime="2026-11-29T00:10:00Z">00:10 UTC on 29 November 2026</time>.</p>
        <ul class="ways" role="list">
        <li><a class="onward" href="/">Today’s puzzle</a></li>
        <li><a class="onward" href="/answers">All answers so far</a></li>
        </ul>
        </section>
    "#]]).await;
}

#[tokio::test]
async fn the_frame_of_a_page() {
    let world = World::new().await;
    let html = world.get("/answers/1118").await.text();
    let (head, _) = html.split_once("</head>").unwrap();
    let hashes = without_hashes(head);
    expect![[r##"
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Lamp &#38; shade: $11.18 · Fencepost</title>
        <meta name="description" content="Lamp &#38; shade cost $11.18: the answer to the daily price game of 27 November 2026.">
        <link rel="canonical" href="https://example.org/answers/1118">
        <link rel="alternate" type="application/atom+xml" title="Answers" href="/feed.xml">
        <meta property="og:site_name" content="Fencepost">
        <meta property="og:title" content="Lamp &#38; shade: $11.18">
        <meta property="og:type" content="article">
        <meta property="og:url" content="https://example.org/answers/1118">
        <meta property="og:description" content="Lamp &#38; shade cost $11.18: the answer to the daily price game of 27 November 2026.">
        <meta property="og:image" content="https://example.org/images/09e1393524a74473917131d161bc9fc02964a7a77d6f5ac9716ab995c8100fbf.webp">
        <meta name="twitter:card" content="summary_large_image">
        <link rel="prev" href="/answers/1117">
        <script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","author":{"@type":"Organization","name":"Fencepost","url":"https://example.org/"},"dateModified":"2026-11-28T15:00:00Z","datePublished":"2026-11-28T15:00:00Z","headline":"Lamp & shade: $11.18","image":"https://example.org/images/09e1393524a74473917131d161bc9fc02964a7a77d6f5ac9716ab995c8100fbf.webp","mainEntityOfPage":"https://example.org/answers/1118","publisher":{"@type":"Organization","name":"Fencepost","url":"https://example.org/"}}</script>
        <meta name="color-scheme" content="light dark">
        <meta name="theme-color" content="#faf6ee" media="(prefers-color-scheme: light)">
        <meta name="theme-color" content="#191613" media="(prefers-color-scheme: dark)">
        <link rel="icon" href="/assets/icon.HASH.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/assets/site.HASH.css">
    "##]].assert_eq(&hashes);
}

/// The text with the hashes of files left out.
fn without_hashes(head: &str) -> String {
    head.split_inclusive('"')
        .map(|part| match part.split_once("/assets/") {
            Some((before, file)) => {
                let pieces: Vec<_> = file.split('.').collect();
                format!("{before}/assets/{}.HASH.{}", pieces[0], pieces[2])
            }
            None => part.to_owned(),
        })
        .collect()
}

#[tokio::test]
async fn empty_states_are_said_in_words() {
    let world = World::empty();
    let home = world.get("/").await.text();
    assert!(home.contains("No puzzle is open right now."));
    assert!(home.contains("There are no answers yet."));
    assert!(world.get("/answers").await.text().contains("There are no answers yet."));
    let world = World::new().await;
    assert!(world.get("/answers?before=2001-01-01").await.text().contains("There are no older answers."));
}

#[tokio::test]
async fn hostile_words_stay_words() {
    let world = World::empty();
    let name = r#""><script>alert('x')</script>&amp;"#;
    let mut hostile = row(1, "2026-11-21", name, None);
    hostile["description"] =
        json!("<script>alert(1)</script>\n\n[x](javascript:alert(2))\n\n![y](https://evil.example/z.png)");
    let open = row(2, "2026-11-22", name, None);
    world.import(json!([hostile, open])).await;
    world.clock.set("2026-11-22T12:00:00Z".parse().unwrap());
    world.site.run_job(Job::Publish, &Stop::default()).await.unwrap();
    for path in ["/", "/play/2", "/answers", "/answers/1"] {
        let html = world.get(path).await.text();
        assert!(
            html.contains("&#34;&#62;&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;&#38;amp;"),
            "{html}"
        );
        // The one block of data, of which browsers run nothing, and the script of the game.
        let html = html.replace("<script type=\"application/ld+json\">", "");
        let html = html.replace("<script type=\"module\" src=\"/assets/game.", "");
        for poison in ["<script", "javascript:", "evil.example"] {
            assert!(!html.contains(poison), "{path} has {poison}");
        }
        assert_eq!(html.matches("<h1").count(), 1, "{path}");
    }
}

#[tokio::test]
async fn the_list_goes_on_where_it_stopped_and_shows_every_answer_once() {
    let world = World::empty();
    let rows: Vec<_> =
        (1..=28).map(|day| row(day, &format!("2026-10-{day:02}"), &format!("Item {day}"), None)).collect();
    let more: Vec<_> = (1..=15)
        .map(|day| row(100 + day, &format!("2026-11-{day:02}"), &format!("Item 1{day:02}"), None))
        .collect();
    world.import(rows.into_iter().chain(more).collect()).await;
    world.site.run_job(Job::Publish, &Stop::default()).await.unwrap();

    let mut path = "/answers".to_owned();
    let mut seen = Vec::new();
    loop {
        let html = world.get(&path).await.text();
        let ids = html.split("<h3><a href=\"/answers/").skip(1);
        seen.extend(ids.map(|rest| rest.split('"').next().unwrap().parse::<i64>().unwrap()));
        match html.split_once("rel=\"next\" href=\"") {
            Some((_, rest)) => path = rest.split('"').next().unwrap().to_owned(),
            None => break,
        }
    }
    let expected: Vec<i64> = (101..=115).rev().chain((1..=28).rev()).collect();
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn without_an_origin_no_page_names_its_address() {
    let mut world = World::new().await;
    assert!(
        world
            .get("/answers/1118")
            .await
            .text()
            .contains(r#"<link rel="canonical" href="https://example.org/answers/1118">"#)
    );
    world.config.origin = None;
    for path in ["/", "/answers", "/answers/1118", "/nope"] {
        let html = world.get(path).await.text();
        assert!(!html.contains("canonical") && !html.contains("og:"), "{path}");
    }
}
