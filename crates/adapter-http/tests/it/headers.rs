//! What every address has in common: its policy, and the methods that it takes.

use axum::{body::Body, http::Method};

use crate::world::World;

#[tokio::test]
async fn every_answer_carries_the_policy() {
    let world = World::new().await;
    let photo = world.photo_on("/").await;
    let paths = [
        "/",
        "/play/1119",
        "/play/1120",
        "/answers",
        "/answers/1118",
        "/answers/1119",
        "/answers/1116",
        "/nope",
        "/feed.xml",
        "/healthz",
    ];
    for path in paths.into_iter().chain([photo.as_str(), "/admin/api/status"]) {
        let answer = world.get(path).await;
        let got = [
            answer.header("content-security-policy"),
            answer.header("x-content-type-options"),
            answer.header("referrer-policy"),
            answer.header("permissions-policy"),
            answer.header("cross-origin-opener-policy"),
        ];
        let script =
            if ["/", "/play/1119"].contains(&path) { "script-src 'self'; connect-src 'self'; " } else { "" };
        let policy = format!(
            "default-src 'none'; {script}img-src 'self'; style-src 'self'; base-uri 'none'; \
             form-action 'self'; frame-ancestors 'none'"
        );
        let expected = [
            policy.as_str(),
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
    let pages = ["/", "/answers", "/answers/1118", "/answers/1120", "/images/x", "/assets/x", "/healthz"];
    for path in pages.into_iter().chain(["/feed.xml", "/sitemap.xml", "/robots.txt"]) {
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
