//! Status and headers of every address in every state, one line each.

use axum::{body::Body, http::Method};

use crate::world::{FUTURE, NEVER_PUBLIC, OPEN, OVERDUE, PHOTOLESS, PUBLISHED, UNKNOWN, WITHDRAWN, World};

/// `status; type; cache-control; x-publication-revision; x-robots-tag; retry-after; etag`.
async fn check(world: &World, path: &str, expected: &str) {
    let answer = world.get(path).await;
    let etag = if answer.headers.contains_key("etag") { "tag" } else { "-" };
    let got = [
        answer.status.as_str(),
        answer.header("content-type"),
        answer.header("cache-control"),
        answer.header("x-publication-revision"),
        answer.header("x-robots-tag"),
        answer.header("retry-after"),
        etag,
    ];
    assert_eq!(got.join("; "), expected, "GET {path}");
}

const REVALIDATE: &str = "public, max-age=0, must-revalidate";
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

#[tokio::test]
async fn every_address_says_what_may_be_kept_of_it() {
    let world = World::new().await;
    let page = |rest: &str| format!("200; text/html; charset=utf-8; {REVALIDATE}; 4; {rest}");
    let nothing = format!("404; text/html; charset=utf-8; {REVALIDATE}; 4; noindex; -; -");
    let not_yet =
        |seconds: i64| format!("404; text/html; charset=utf-8; {REVALIDATE}; 4; noindex; {seconds}; -");
    let answer = |id: i64| format!("/answers/{id}");

    check(&world, "/", &page("-; -; tag")).await;
    check(&world, "/?utm_source=x", &page("-; -; tag")).await;
    check(&world, "/answers", &page("-; -; tag")).await;
    check(&world, "/answers?before=2026-11-27", &page("-; -; tag")).await;
    check(&world, "/answers?before=2001-01-01", &page("noindex; -; tag")).await;
    check(&world, "/answers?before=junk", &nothing).await;
    check(&world, "/answers?page=2", &page("-; -; tag")).await;
    check(&world, &answer(PUBLISHED), &page("-; -; tag")).await;
    check(&world, &answer(PHOTOLESS), &page("noindex; -; tag")).await;
    check(&world, &answer(OPEN), &not_yet(9 * 3_600 + 600)).await;
    check(&world, &answer(OVERDUE), &not_yet(30)).await;
    let gone = format!("410; text/html; charset=utf-8; {REVALIDATE}; 4; noindex; -; -");
    check(&world, &answer(WITHDRAWN), &gone).await;
    check(&world, &answer(NEVER_PUBLIC), &nothing).await;
    check(&world, &answer(FUTURE), &nothing).await;
    check(&world, &answer(UNKNOWN), &nothing).await;
    let photo = world.photo_on(&answer(PUBLISHED)).await;
    check(&world, &photo, &format!("200; image/webp; {REVALIDATE}; 4; -; -; tag")).await;
    check(&world, "/images/no-key", &nothing).await;
    check(&world, "/assets/site.css", &nothing).await;
    check(&world, "/healthz", "200; text/plain; charset=utf-8; no-store; -; -; -; -").await;
    check(&world, "/readyz", "200; text/plain; charset=utf-8; no-store; -; -; -; -").await;
    let problem = "401; application/problem+json; no-store; -; -; -; -";
    check(&world, "/admin/api/status", problem).await;
}

#[tokio::test]
async fn style_and_icon_live_under_their_hash() {
    let world = World::new().await;
    let html = world.get("/").await.text();
    let address = |from: &str| {
        let from = html.find(from).unwrap();
        html[from..].split('"').next().unwrap().to_owned()
    };
    let sheet = format!("200; text/css; charset=utf-8; {IMMUTABLE}; -; -; -; tag");
    check(&world, &address("/assets/site."), &sheet).await;
    let icon = format!("200; image/svg+xml; {IMMUTABLE}; -; -; -; tag");
    check(&world, &address("/assets/icon."), &icon).await;
}

#[tokio::test]
async fn every_answer_carries_the_policy() {
    let world = World::new().await;
    let photo = world.photo_on("/").await;
    let paths = ["/", "/answers", "/answers/1118", "/answers/1119", "/answers/1116", "/nope", "/healthz"];
    for path in paths.into_iter().chain([photo.as_str(), "/admin/api/status"]) {
        let answer = world.get(path).await;
        let got = [
            answer.header("content-security-policy"),
            answer.header("x-content-type-options"),
            answer.header("referrer-policy"),
            answer.header("permissions-policy"),
            answer.header("cross-origin-opener-policy"),
        ];
        let expected = [
            "default-src 'none'; img-src 'self'; style-src 'self'; base-uri 'none'; \
             form-action 'self'; frame-ancestors 'none'",
            "nosniff",
            "strict-origin-when-cross-origin",
            "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
            "same-origin",
        ];
        assert_eq!(got, expected, "GET {path}");
    }
}

#[tokio::test]
async fn pages_take_get_and_head_only() {
    let world = World::new().await;
    for path in ["/", "/answers", "/answers/1118", "/answers/1120", "/images/x", "/assets/x", "/healthz"] {
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS] {
            let answer = world.send(method.clone(), path, &[], Body::empty()).await;
            assert_eq!(
                (answer.status.as_u16(), answer.header("allow"), answer.header("cache-control")),
                (405, "GET,HEAD", "no-store"),
                "{method} {path}"
            );
        }
    }
}
