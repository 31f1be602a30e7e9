//! `ETag`, `If-None-Match` and `HEAD`.

use crate::world::{World, id, row};
use serde_json::json;

#[tokio::test]
async fn who_has_it_already_gets_304_with_the_same_headers() {
    let world = World::new().await;
    let photo = world.photo_on("/").await;
    for path in ["/", "/answers", "/answers/1118", "/feed.xml", "/sitemap.xml", photo.as_str()] {
        let full = world.get(path).await;
        let tag = full.header("etag").to_owned();
        assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() > 30, "{tag} is no strong tag");
        for held in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}"), "*".to_owned()] {
            let answer = world.get_with(path, &[("if-none-match", &held)]).await;
            assert_eq!((answer.status.as_u16(), answer.body.len()), (304, 0), "{path} with {held}");
            let mut expected = full.headers.clone();
            expected.remove("content-type");
            expected.remove("content-length");
            assert_eq!(answer.headers, expected, "{path} with {held}");
        }
        let answer = world.get_with(path, &[("if-none-match", "\"other\"")]).await;
        assert_eq!(answer, full, "{path} with another tag");
    }
}

#[tokio::test]
async fn errors_have_no_tag_and_ignore_conditions() {
    let world = World::new().await;
    for (path, status) in [("/answers/1119", 404), ("/answers/1116", 410), ("/nope", 404)] {
        let answer = world.get_with(path, &[("if-none-match", "*")]).await;
        assert_eq!((answer.status.as_u16(), answer.header("etag")), (status, "-"), "{path}");
    }
}

#[tokio::test]
async fn head_answers_like_get_without_a_body() {
    let world = World::new().await;
    let photo = world.photo_on("/").await;
    let paths = ["/", "/answers", "/answers/1118", "/answers/1119", "/answers/1116", "/nope", "/readyz"];
    for path in paths.into_iter().chain(["/feed.xml", "/sitemap.xml", "/robots.txt", photo.as_str()]) {
        let (get, head) = (world.get(path).await, world.head(path).await);
        assert_eq!((head.status, &head.headers), (get.status, &get.headers), "HEAD {path}");
        assert!(head.body.is_empty(), "HEAD {path} has a body");
        assert_eq!(head.header("content-length"), get.body.len().to_string(), "HEAD {path}");
    }
}

#[tokio::test]
async fn a_tag_changes_with_the_content_and_with_nothing_else() {
    let world = World::new().await;
    let tag = async |path: &str| world.get(path).await.header("etag").to_owned();
    let (lamp, vase) = (tag("/answers/1118").await, tag("/answers/1117").await);
    assert_eq!(tag("/answers/1118?utm_source=x").await, lamp);

    world.import(json!([row(1118, "2026-11-27", "Floor lamp", Some("lamp"))])).await;
    assert_eq!(tag("/answers/1118").await, lamp, "an edit of the bank changes no page");
    world.site.republish(id(1118)).await.unwrap();
    assert_ne!(tag("/answers/1118").await, lamp);
    assert_ne!(tag("/answers/1117").await, vase, "its neighbour was renamed");

    let iron = tag("/answers/1118").await;
    world.clock.advance(3_600_000);
    world.site.withdraw(id(1117)).await.unwrap();
    world.site.reinstate(id(1117)).await.unwrap();
    let page = world.get("/answers/1118").await;
    assert_eq!((page.header("etag"), page.header("x-publication-revision")), (iron.as_str(), "7"));
}
