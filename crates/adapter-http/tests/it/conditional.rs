//! `ETag`, `If-None-Match` and `HEAD`.

use crate::world::editor;
use fencepost_application::Expected;
use fencepost_application::Stop;
use fencepost_ports::Job;
use serde_json::json;

use crate::world::{World, id, row};

#[tokio::test]
async fn who_has_it_already_gets_304_with_the_same_headers() {
    let world = World::new().await;
    let photo = world.photo_on("/").await;
    for path in
        ["/", "/answers", "/answers/1118", "/feed.xml", "/sitemap.xml", "/api/openapi.json", photo.as_str()]
    {
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
    for path in paths.into_iter().chain([
        "/feed.xml",
        "/sitemap.xml",
        "/robots.txt",
        "/api/openapi.json",
        photo.as_str(),
    ]) {
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
    world.site.republish(&editor(), id(1118), Expected::ANYTHING).await.unwrap();
    assert_ne!(tag("/answers/1118").await, lamp);
    assert_ne!(tag("/answers/1117").await, vase, "its neighbour was renamed");

    let iron = tag("/answers/1118").await;
    world.clock.advance(3_600_000);
    world.site.withdraw(&editor(), id(1117), Expected::ANYTHING).await.unwrap();
    world.site.reinstate(&editor(), id(1117), Expected::ANYTHING).await.unwrap();
    let page = world.get("/answers/1118").await;
    assert_eq!((page.header("etag"), page.header("x-publication-revision")), (iron.as_str(), "7"));
}

#[tokio::test]
async fn who_has_an_old_page_gets_the_new_one_at_once() {
    let world = World::new().await;
    let held = async |path: &str| {
        let tag = world.get(path).await.header("etag").to_owned();
        assert_eq!(ask(&world, path, &tag).await, 304, "{path} is as it was");
        tag
    };
    let home = held("/").await;
    world.import(json!([row(1119, "2026-11-28", "Wall clock", Some("clock"))])).await;
    assert_eq!(ask(&world, "/", &home).await, 200, "today's puzzle was edited");
    let home = held("/").await;
    world.import(json!([row(1113, "2026-11-22", "Spoon", None)])).await;
    assert_eq!(ask(&world, "/", &home).await, 304, "a late import that shows nowhere yet");
    let (home, list, feed) = (held("/").await, held("/answers").await, held("/feed.xml").await);
    world.site.run_job(Job::Compensate, &Stop::default()).await.unwrap();
    for (path, tag) in [("/", home), ("/answers", list), ("/feed.xml", feed)] {
        assert_eq!(ask(&world, path, &tag).await, 200, "{path}: the late import is out");
    }
    let page = held("/answers/1118").await;
    world.site.withdraw(&editor(), id(1118), Expected::ANYTHING).await.unwrap();
    assert_eq!(ask(&world, "/answers/1118", &page).await, 410);
}

/// The status of a request by somebody who has what this tag names.
async fn ask(world: &World, path: &str, tag: &str) -> u16 {
    world.get_with(path, &[("if-none-match", tag)]).await.status.as_u16()
}
