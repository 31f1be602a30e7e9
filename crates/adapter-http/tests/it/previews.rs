//! Previews: everything for the holder of a link, nothing for anybody else.

use axum::{body::Body, http::Method};
use expect_test::expect;
use fencepost_adapter_http::Secret;
use fencepost_application::Stop;
use fencepost_domain::time::UnixMillis;
use fencepost_ports::Job;
use serde_json::{Value, json};

use crate::world::{
    Answer, FUTURE, NEVER_PUBLIC, OPEN, OVERDUE, PHOTOLESS, PUBLISHED, SECRET, TOKEN, UNKNOWN, WITHDRAWN,
    World, row,
};

const DAY_MS: i64 = 86_400_000;

/// The path of a fresh link.
async fn link(world: &World, id: i64) -> String {
    let answer = world.admin(Method::POST, &format!("/items/{id}/preview"), None).await;
    assert_eq!(answer.status.as_u16(), 200, "{}", answer.text());
    let url = answer.json()["url"].as_str().unwrap().to_owned();
    url.strip_prefix("https://example.org").unwrap().to_owned()
}

/// The path of the photo on the page of a link.
async fn photo_link(world: &World, link: &str) -> Option<String> {
    let html = world.get(link).await.text();
    let (_, rest) = html.split_once("<img class=\"photo\" src=\"")?;
    Some(rest.split('"').next().unwrap().replace("&#38;", "&"))
}

/// A world in which the photo of tomorrow's puzzle is stored already.
async fn with_tomorrows_photo() -> World {
    let world = World::new().await;
    world.clock.set("2026-11-28T22:30:00Z".parse().unwrap());
    world.site.run_job(Job::Compensate, &Stop::default()).await.unwrap();
    world
}

#[track_caller]
fn assert_shown(answer: &Answer, what: &str) {
    let got = [
        answer.status.as_str(),
        answer.header("cache-control"),
        answer.header("x-robots-tag"),
        answer.header("referrer-policy"),
        answer.header("etag"),
        answer.header("retry-after"),
    ];
    assert_eq!(got, ["200", "private, no-store", "noindex", "no-referrer", "-", "-"], "{what}");
}

#[tokio::test]
async fn a_preview_is_the_page_that_would_be_published_and_says_that_it_is_none() {
    let world = with_tomorrows_photo().await;
    let html = world.get(&link(&world, FUTURE).await).await.text();
    let from = html.find("<title>").unwrap();
    let head = html[from..].split_once("</title>").unwrap().0;
    assert_eq!(head, "<title>Preview of Globe: $11.20 · Fencepost");
    for absent in ["canonical", "og:", "name=\"description\"", "src=\"/images/", "<script", "style="] {
        assert!(!html.contains(absent), "{absent} in {html}");
    }
    let (_, main) = html.split_once("<main id=\"main\" tabindex=\"-1\">\n").unwrap();
    expect![[r#"
        <p class="preview-mark"><strong>A preview.</strong> This is the page that would be published from the bank as it is now. Whoever has this address can read it until <time datetime="2026-11-29T22:30:00Z">22:30 UTC on 29 November 2026</time>; please keep it to yourself.</p>
        <article class="lot">
        <header class="lot-head">
        <p class="eyebrow">Answer No. 1120 · <time datetime="2026-11-29">29 November 2026</time></p>
        <h1>Globe</h1>
        </header>
        <figure class="lot-figure">
        <img class="photo" src="/preview/1120/image/905533ae8c7d7b5cd25d468296e25f38c5784cf5d026c1083438a62c06469ddb.webp?expires=1795991400000&#38;signature=1d22fec084d2faddf7e3607246b67201dba4b48d19f1390db99be42af5b16257" alt="Photo of the item: Globe" width="960" height="720" decoding="async">
        <figcaption><span class="visually-hidden">It costs</span> <data class="tag" value="11.20">$11.20</data></figcaption>
        </figure>
        <div class="lot-text prose">
        <h2 class="visually-hidden">About the item</h2>
        <p>About the <em>Globe</em>.</p>

        </div>
        </article>
    "#]].assert_eq(main.split_once("\n</main>").unwrap().0);
}

#[tokio::test]
async fn a_page_in_any_state_can_be_seen_beforehand_and_no_cache_learns_of_it() {
    let world = World::new().await;
    let entries = world.cache.entries();
    for id in [FUTURE, OPEN, OVERDUE, PUBLISHED, PHOTOLESS, WITHDRAWN, NEVER_PUBLIC] {
        let link = link(&world, id).await;
        for _ in 0..2 {
            let answer = world.get(&link).await;
            assert_shown(&answer, &link);
            let html = answer.text();
            assert!(html.contains("A preview.") && html.contains(&format!("$11.{}", id - 1_100)), "{html}");
            assert!(html.contains("About the <em>") && html.contains("noindex"), "{html}");
        }
    }
    assert_eq!(world.cache.entries(), entries);
}

#[tokio::test]
async fn what_a_link_shows_nobody_else_sees() {
    let world = with_tomorrows_photo().await;
    let link = link(&world, FUTURE).await;
    let photo = photo_link(&world, &link).await.unwrap();
    for path in [link.as_str(), &photo] {
        assert_shown(&world.get(path).await, path);
    }
    let nowhere = world.get("/nope").await;
    for path in [link.as_str(), &photo] {
        let (path, _) = path.split_once('?').unwrap();
        assert_eq!(world.get(path).await, nowhere, "{path}");
    }
    let key = photo.split(['/', '?']).nth(4).unwrap();
    assert_eq!(world.get(&format!("/images/{key}")).await, nowhere);
    assert_eq!(world.get(&format!("/answers/{FUTURE}")).await, nowhere);
    assert!(!world.get("/").await.text().contains("Globe"));
    for answer in world.cache.entries().values() {
        assert!(
            !String::from_utf8_lossy(&answer.reply.body).contains("lobe"),
            "a page of the cache tells it"
        );
    }
}

#[tokio::test]
async fn a_photo_is_shown_while_the_row_has_it() {
    let world = with_tomorrows_photo().await;
    let photo = photo_link(&world, &link(&world, FUTURE).await).await.unwrap();
    let answer = world.get(&photo).await;
    assert_shown(&answer, &photo);
    assert_eq!(
        (answer.header("content-type"), answer.text().as_str()),
        ("image/webp", "bytes of the photo of a globe")
    );

    world.import(json!([row(FUTURE, "2026-11-29", "Globe", None)])).await;
    assert_eq!(world.get(&photo).await, world.get("/nope").await);
    let html = world.get(&link(&world, FUTURE).await).await.text();
    assert!(html.contains("No photo of this one"), "{html}");

    world.import(json!([row(FUTURE, "2026-11-29", "Globe", Some("unheard-of"))])).await;
    let html = world.get(&link(&world, FUTURE).await).await.text();
    assert!(html.contains("Its photo is not here yet"), "{html}");
}

#[tokio::test]
async fn a_preview_shows_an_edit_at_once_and_the_page_does_not() {
    let world = World::new().await;
    let link = link(&world, PUBLISHED).await;
    assert!(world.get(&link).await.text().contains("Lamp &#38; shade"));
    world.import(json!([row(PUBLISHED, "2026-11-27", "Lantern", Some("lamp"))])).await;
    assert!(world.get(&link).await.text().contains("<h1>Lantern</h1>"));
    assert!(world.get(&format!("/answers/{PUBLISHED}")).await.text().contains("<h1>Lamp &#38; shade</h1>"));
}

#[tokio::test]
async fn a_link_works_until_its_instant_and_not_at_it() {
    let world = with_tomorrows_photo().await;
    let now: UnixMillis = "2026-11-28T22:30:00Z".parse().unwrap();
    let link = link(&world, FUTURE).await;
    let photo = photo_link(&world, &link).await.unwrap();
    for (later, shown) in [(DAY_MS - 1, true), (DAY_MS, false), (DAY_MS * 9, false)] {
        world.clock.set(now.plus(later));
        for path in [link.as_str(), &photo] {
            let answer = world.get(path).await;
            if shown {
                assert_shown(&answer, path)
            } else {
                assert_eq!(answer, world.get("/nope").await, "{path}")
            }
        }
    }
}

#[tokio::test]
async fn a_link_that_was_changed_anywhere_leads_nowhere() {
    let world = with_tomorrows_photo().await;
    let link = link(&world, FUTURE).await;
    let photo = photo_link(&world, &link).await.unwrap();
    let nowhere = world.get("/nope").await;
    for whole in [link.as_str(), &photo] {
        let (path, query) = whole.split_once('?').unwrap();
        let (expires, signature) = query.split_once('&').unwrap();
        let number: i64 = expires.strip_prefix("expires=").unwrap().parse().unwrap();
        let other_digit = if signature.ends_with('0') { "1" } else { "0" };
        let cut = &signature[..signature.len() - 1];
        let mut changed = vec![
            path.to_owned(),
            format!("{path}?{expires}"),
            format!("{path}?{signature}"),
            format!("{path}?expires={}&{signature}", number + 1),
            format!("{path}?expires=0{number}&{signature}"),
            format!("{path}?expires=+{number}&{signature}"),
            format!("{path}?expires=&{signature}"),
            format!("{path}?expires=99999999999999999999&{signature}"),
            format!("{path}?{expires}&{expires}&{signature}"),
            format!("{path}?{expires}&{signature}&{signature}"),
            format!("{path}?{expires}&{cut}"),
            format!("{path}?{expires}&{cut}{other_digit}"),
            format!("{path}?{expires}&{signature}0"),
            format!("{path}?{expires}&signature="),
            format!("{path}?{expires}&signature={}", signature[10..].to_uppercase()),
            format!("{path}/?{query}"),
            format!("/{path}?{query}"),
            whole.to_uppercase(),
            whole.replace("/preview/1120", "/preview/1119"),
            whole.replace("/preview/1120", "/preview/01120"),
            whole.replace("/preview/1120", "/preview/%31120"),
            whole.replace("/preview/1120", "/preview/4711"),
            whole.replace("/preview/1120", "/answers/1120"),
        ];
        // A signature for the one is none for the other.
        changed.push(match whole == photo {
            true => format!("/preview/{FUTURE}?{query}"),
            false => format!("{}?{query}", photo.split_once('?').unwrap().0),
        });
        changed.push(whole.replace(".webp", ".png"));
        for path in changed.into_iter().filter(|path| path != whole) {
            assert_eq!(world.get(&path).await, nowhere, "{path}");
            assert_eq!(world.get_with(&path, &[("if-none-match", "*")]).await, nowhere, "{path}");
        }
        assert_shown(&world.get(&format!("{whole}&utm_source=mail")).await, whole);
    }
}

#[tokio::test]
async fn a_link_of_another_site_leads_nowhere() {
    let mut world = World::new().await;
    let link = link(&world, FUTURE).await;
    let nowhere = world.get("/nope").await;
    assert_shown(&world.get(&link).await, "the link");
    let own = world.config.clone();

    world.config.environment = "production".to_owned();
    assert_eq!(world.get(&link).await, nowhere, "another environment");
    world.config = own.clone();
    world.config.secret = Some(Secret::new(&SECRET.replace('a', "b")).unwrap());
    assert_eq!(world.get(&link).await, nowhere, "another secret");
    world.config.secret = None;
    assert_eq!(world.get(&link).await, nowhere, "no secret");
    world.config = own;
    assert_shown(&world.get(&link).await, "the link");
}

#[tokio::test]
async fn a_preview_has_the_same_policy_and_takes_no_condition() {
    let world = World::new().await;
    let link = link(&world, PUBLISHED).await;
    let photo = photo_link(&world, &link).await.unwrap();
    let page = world.get("/answers").await;
    for path in [link.as_str(), &photo] {
        let answer = world.get_with(path, &[("if-none-match", "*")]).await;
        assert_shown(&answer, path);
        let policy = "content-security-policy";
        assert_eq!(answer.header(policy), page.header(policy), "{path}");
        let head = world.head(path).await;
        assert_eq!((&head.headers, head.body.len()), (&answer.headers, 0), "HEAD {path}");
    }
}

async fn ask(world: &World, id: i64, body: Option<Value>) -> Answer {
    world.admin(Method::POST, &format!("/items/{id}/preview"), body).await
}

#[tokio::test]
async fn a_link_works_for_a_day_or_for_as_long_as_it_is_made_for() {
    let world = World::new().await;
    let now: UnixMillis = "2026-11-28T15:00:00Z".parse().unwrap();
    for (body, seconds) in [
        (None, 86_400),
        (Some(json!({})), 86_400),
        (Some(json!({ "valid_seconds": null })), 86_400),
        (Some(json!({ "valid_seconds": 1 })), 1),
        (Some(json!({ "valid_seconds": 604_800 })), 604_800),
    ] {
        let answer = ask(&world, FUTURE, body.clone()).await;
        let expires_at = now.plus(seconds * 1_000).get();
        assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (200, "no-store"), "{body:?}");
        let json = answer.json();
        assert_eq!(json["expires_at"], expires_at, "{body:?}");
        let url = json["url"].as_str().unwrap();
        let expected = format!("https://example.org/preview/{FUTURE}?expires={expires_at}&signature=");
        assert_eq!((url.starts_with(&expected), url.len()), (true, expected.len() + 64), "{url}");
        assert_eq!(json.as_object().unwrap().len(), 2);
    }
    let get = world.admin(Method::GET, &format!("/items/{FUTURE}/preview"), None).await;
    assert_eq!((get.status.as_u16(), get.header("allow")), (405, "POST"));
}

fn check(answer: &Answer, status: u16, kind: &str, detail: &str) {
    let problem = answer.json();
    let kind = format!("urn:fencepost:problem:{kind}");
    assert_eq!((answer.status.as_u16(), &problem["type"]), (status, &json!(kind)), "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains(detail), "{problem}");
}

#[tokio::test]
async fn what_keeps_a_link_from_being_made_is_told() {
    let mut world = World::new().await;
    for seconds in [0, -1, 604_801, i64::MAX] {
        let answer = ask(&world, FUTURE, Some(json!({ "valid_seconds": seconds }))).await;
        check(&answer, 422, "invalid-validity", "seconds from 1 to 604800");
    }
    for (body, detail) in [
        (json!({ "valid": 1 }), "unknown field `valid`"),
        (json!({ "valid_seconds": "1" }), "invalid type: string"),
        (json!(7), "expected an object with valid_seconds, or none"),
    ] {
        check(&ask(&world, FUTURE, Some(body)).await, 400, "malformed-json", detail);
    }
    let token = format!("Bearer {TOKEN}");
    let path = format!("/admin/api/items/{FUTURE}/preview");
    let answer = world.send(Method::POST, &path, &[("authorization", &token)], Body::from("{}")).await;
    check(&answer, 415, "unsupported-media-type", "application/json");
    check(&ask(&world, UNKNOWN, None).await, 404, "unknown-puzzle", "there is no puzzle 4711");
    world.config.secret = None;
    check(
        &ask(&world, FUTURE, None).await,
        409,
        "no-secret",
        "Start the server with --secret, or set FENCEPOST_SECRET",
    );
}

#[tokio::test]
async fn without_an_origin_a_link_is_a_path() {
    let mut world = World::new().await;
    world.config.origin = None;
    let answer = ask(&world, FUTURE, None).await.json();
    let path = answer["url"].as_str().unwrap();
    assert!(path.starts_with("/preview/1120?"), "{path}");
    assert_shown(&world.get(path).await, path);
}
