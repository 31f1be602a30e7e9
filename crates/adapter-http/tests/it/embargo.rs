//! What must not be told before its time.

use crate::world::editor;
use axum::{body::Body, http::Method};
use fencepost_application::Expected;

use crate::world::{Answer, FUTURE, NEVER_PUBLIC, OPEN, PUBLISHED, UNKNOWN, World, id};

/// Status, headers and body.
fn whole(answer: &Answer) -> String {
    format!("{answer:#?}")
}

#[tokio::test]
async fn nothing_tells_a_future_puzzle_from_one_that_never_was() {
    let world = World::new().await;
    for method in [Method::GET, Method::HEAD] {
        let unknown = world.send(method.clone(), &format!("/answers/{UNKNOWN}"), &[], Body::empty()).await;
        assert_eq!(unknown.status.as_u16(), 404);
        let others = [
            format!("/answers/{FUTURE}"),
            format!("/answers/{NEVER_PUBLIC}"),
            "/answers/0".to_owned(),
            "/answers/-1".to_owned(),
            "/answers/01118".to_owned(),
            "/answers/%31118".to_owned(),
            "/answers/%FF".to_owned(),
            "/answers/1118/".to_owned(),
            "/answers/99999999999999999999".to_owned(),
            "/answers/abc".to_owned(),
            "/answers/".to_owned(),
            "/answers?before=junk".to_owned(),
            "/Answers".to_owned(),
            "/images/../answers".to_owned(),
            format!("/images/{}.webp", "0".repeat(64)),
            "/images/x".to_owned(),
            "/assets/x".to_owned(),
            "/nope".to_owned(),
            "//".to_owned(),
            "/admins".to_owned(),
        ];
        for path in others {
            let answer = world.send(method.clone(), &path, &[], Body::empty()).await;
            assert_eq!(whole(&answer), whole(&unknown), "{method} {path}");
        }
    }
}

#[tokio::test]
async fn a_condition_does_not_tell_a_future_puzzle_either() {
    let world = World::new().await;
    let condition = [("if-none-match", "*")];
    let future = world.get_with(&format!("/answers/{FUTURE}"), &condition).await;
    let unknown = world.get_with(&format!("/answers/{UNKNOWN}"), &condition).await;
    assert_eq!(whole(&future), whole(&unknown));
    assert_eq!(future.status.as_u16(), 404);
}

#[tokio::test]
async fn an_answer_is_told_from_its_instant_on_and_not_before() {
    let world = World::new().await;
    let path = format!("/answers/{PUBLISHED}");
    let due = "2026-11-28T00:10:00Z".parse().unwrap();
    let price = "$11.18";

    world.clock.set(due);
    let answer = world.get(&path).await;
    assert_eq!(answer.status.as_u16(), 200);
    assert!(answer.text().contains(price));
    assert!(world.get("/").await.text().contains(price));
    assert!(world.get("/answers").await.text().contains(price));
    assert!(world.get("/feed.xml").await.text().contains(price));
    assert!(world.get("/sitemap.xml").await.text().contains(&path));

    // Published or not: a clock that jumps back hides the page again.
    world.clock.set(due.plus(-1));
    let answer = world.get(&path).await;
    assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (404, "1"));
    for path in [path.as_str(), "/", "/answers", "/feed.xml"] {
        let html = world.get(path).await.text();
        assert!(!html.contains(price) && !html.contains("11.18"), "{path} tells the price");
    }
    for announcement in ["/feed.xml", "/sitemap.xml"] {
        assert!(!world.get(announcement).await.text().contains(&path), "{announcement} tells the address");
    }
}

#[tokio::test]
async fn the_open_puzzle_shows_everything_but_its_price() {
    let world = World::new().await;
    let home = world.get("/").await.text();
    assert!(home.contains("<h1>Clock</h1>"));
    assert!(home.contains("$ ?.??"));
    let not_yet = world.get(&format!("/answers/{OPEN}")).await.text();
    assert!(
        not_yet.contains(r#"<time datetime="2026-11-29T00:10:00Z">00:10 UTC on 29 November 2026</time>"#)
    );
    for html in [home, not_yet] {
        assert!(!html.contains("11.19") && !html.contains("About the"), "{html}");
    }
}

#[tokio::test]
async fn a_withdrawn_page_and_its_photo_are_gone_with_the_next_request() {
    let world = World::new().await;
    let path = format!("/answers/{PUBLISHED}");
    let photo = world.photo_on(&path).await;
    assert_eq!(world.get(&photo).await.status.as_u16(), 200);
    let tag = world.get(&photo).await.header("etag").to_owned();

    world.site.withdraw(&editor(), id(PUBLISHED), Expected::ANYTHING).await.unwrap();
    let gone = world.get(&path).await;
    assert_eq!((gone.status.as_u16(), gone.header("x-publication-revision")), (410, "5"));
    assert!(!gone.text().contains("11.18") && !gone.text().contains("Lamp"));
    assert_eq!(world.get(&photo).await.status.as_u16(), 404);
    assert_eq!(world.get_with(&photo, &[("if-none-match", &tag)]).await.status.as_u16(), 404);
    assert!(!world.get("/answers").await.text().contains("Lamp"));
    assert!(!world.get("/").await.text().contains("Lamp"));
}
