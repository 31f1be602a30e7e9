//! A store that misbehaves: loud, not wrong, and discreet.

use std::sync::Arc;

use axum::http::Method;
use fencepost_ports::{StoreError, StoreErrorKind, Stores, memory::EternalCache};

use crate::{failing::Failing, world::World};

async fn world_with(change: impl FnOnce(&mut Stores)) -> World {
    let mut world = World::new().await;
    change(&mut world.config.site.stores);
    world
}

fn secret(kind: StoreErrorKind) -> StoreError {
    StoreError::new(kind, "/var/lib/secret.db, table answer_posts")
}

#[tokio::test]
async fn a_store_that_cannot_be_read_is_503_on_every_page_and_never_kept() {
    use StoreErrorKind::{Assertion, Busy, OverBudget, Refused, Unknown};
    for kind in [Refused, Assertion, Busy, OverBudget, Unknown] {
        let moment = world_with(|stores| stores.revisions = Arc::new(Failing(secret(kind)))).await;
        let posts = world_with(|stores| stores.posts = Arc::new(Failing(secret(kind)))).await;
        let photo = format!("/images/{}.webp", "0".repeat(64));
        for path in ["/", "/answers", "/answers/1118", "/answers/4711", &photo] {
            for world in [&moment, &posts] {
                let answer = world.get_with(path, &[("if-none-match", "*")]).await;
                let got = [
                    answer.status.as_str(),
                    answer.header("content-type"),
                    answer.header("cache-control"),
                    answer.header("retry-after"),
                    answer.header("etag"),
                ];
                assert_eq!(got, ["503", "text/html; charset=utf-8", "no-store", "5", "-"], "{path} {kind:?}");
                let html = answer.text();
                assert!(html.contains("Back in a moment") && !html.contains("secret"), "{html}");
                assert!(html.contains("href=\"/answers\""), "a way onward");
            }
        }
    }
}

#[tokio::test]
async fn statistics_that_cannot_be_read_are_a_problem_and_never_kept() {
    let error = secret(StoreErrorKind::Unknown);
    let world = world_with(|stores| stores.posts = Arc::new(Failing(error))).await;
    let answer = world.get("/api/puzzles/1118/stats").await;
    let got = ["content-type", "cache-control", "retry-after"].map(|name| answer.header(name));
    assert_eq!((answer.status.as_u16(), got), (503, ["application/problem+json", "no-store", "5"]));
    assert!(!answer.text().contains("secret"), "{}", answer.text());
}

#[tokio::test]
async fn what_the_cache_has_is_no_answer_while_time_and_revision_cannot_be_read() {
    let mut world = World::new().await;
    let cache = Arc::new(EternalCache::new());
    world.config.site.cache = cache.clone();
    for path in ["/", "/answers", "/answers/1118"] {
        assert_eq!(world.get(path).await.status.as_u16(), 200);
    }
    let kept = cache.entries();
    assert_eq!(kept.len(), 3);
    let stores = world.config.site.stores.clone();
    world.config.site.stores.revisions = Arc::new(Failing(secret(StoreErrorKind::Unknown)));
    for path in ["/", "/answers", "/answers/1118", "/nope"] {
        assert_eq!(world.get(path).await.status.as_u16(), 503, "{path}");
    }
    // Content that cannot be read is another matter: what is kept needs none.
    world.config.site.stores = Stores { posts: Arc::new(Failing(secret(StoreErrorKind::Unknown))), ..stores };
    assert_eq!(world.get("/answers/1118").await.status.as_u16(), 200);
    assert_eq!(world.get("/answers/1117").await.status.as_u16(), 503);
    assert_eq!(cache.entries(), kept, "and no failure is kept");
}

#[tokio::test]
async fn a_corrupt_row_is_500_on_its_page() {
    let error = StoreError::corrupt("secret_column", "-1 is no price");
    let world = world_with(|stores| stores.posts = Arc::new(Failing(error))).await;
    let answer = world.get("/answers/1118").await;
    assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (500, "no-store"));
    assert!(!answer.text().contains("secret"));
}

#[tokio::test]
async fn only_readiness_asks_the_store() {
    let error = secret(StoreErrorKind::Unknown);
    let world = world_with(|stores| stores.revisions = Arc::new(Failing(error))).await;
    assert_eq!(world.get("/healthz").await.text(), "ok\n");
    let answer = world.get("/readyz").await;
    let got = (answer.status.as_u16(), answer.header("content-type"), answer.header("retry-after"));
    assert_eq!(got, (503, "application/problem+json", "5"));
    assert!(!answer.text().contains("secret"));
    let home = world.get("/").await.text();
    let from = home.find("/assets/site.").unwrap();
    let sheet = home[from..].split('"').next().unwrap();
    assert_eq!(world.get(sheet).await.status.as_u16(), 200, "the error page has its style");
}

#[tokio::test]
async fn operators_are_told_what_the_store_said() {
    for (error, status, kind) in [
        (secret(StoreErrorKind::Unknown), 503, "urn:fencepost:problem:store-unavailable"),
        (StoreError::corrupt("price_cents", "-1"), 500, "urn:fencepost:problem:corrupt-store"),
        (secret(StoreErrorKind::OverBudget), 503, "urn:fencepost:problem:over-budget"),
    ] {
        let words = error.to_string();
        let world = world_with(|stores| stores.verifier = Arc::new(Failing(error))).await;
        let answer = world.admin(Method::GET, "/verify", None).await;
        assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (status, "no-store"));
        let problem = answer.json();
        assert_eq!(problem["type"], kind);
        assert!(problem["detail"].as_str().unwrap().starts_with(&words), "{problem}");
    }
}
