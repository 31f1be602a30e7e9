//! Nothing early, and nothing old.

use crate::world::{DUE, World};

#[tokio::test]
async fn a_page_is_there_from_its_publication_on_and_is_made_safe() {
    let world = World::new().await;
    world.at(DUE - 1);
    assert_eq!(world.get("/hello").await.status, 404);
    world.at(DUE).run().await;
    let page = world.get("/hello").await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("<p>One &#60;b&#62;,\nand more.</p>\n<p>Two.</p>"), "{}", page.body);
    for path in ["/other", "/hello/", "//hello", "hello", "/Hello", "/hello%20"] {
        assert_eq!(world.get(path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn after_a_publication_no_old_copy_is_served() {
    let world = World::new().await;
    assert!(world.get("/").await.body.contains("Nothing is out yet"));
    world.cache.overwrite("a copy");
    assert_eq!(world.get("/").await.body, "a copy");
    world.run().await;
    assert!(world.get("/").await.body.contains("<a href=\"/hello\">Hello &#38; welcome</a>"));
}

/// The clock of the database is set back, or somebody puts the embargo off: no statement of
/// this site runs, and what was kept is over all the same.
#[tokio::test]
async fn an_embargo_is_kept_to_the_millisecond_whatever_was_kept() {
    let world = World::new().await;
    world.run().await;
    world.plant_due_at(DUE + 500_000).await;
    for (instant, is_shown) in [(499_999, false), (500_000, true), (499_999, false)] {
        world.at(DUE + instant);
        assert_eq!(world.get("/hello").await.status, if is_shown { 200 } else { 404 }, "{instant}");
        assert_eq!(world.get("/").await.body.contains("Hello"), is_shown, "{instant}");
    }
}

#[tokio::test]
async fn a_copy_lives_no_longer_than_its_stretch_of_time() {
    for (before, expected) in [(400_000, &[300_000][..]), (30_000, &[30_000]), (1_000, &[1_000]), (999, &[])]
    {
        let world = World::new().await;
        world.at(DUE - before).get("/").await;
        assert_eq!(world.cache.lifetimes(), expected, "{before} ms before the next post is due");
    }
}

#[tokio::test]
async fn without_the_database_there_is_no_page() {
    let world = World::new().await;
    world.run().await;
    assert_eq!(world.get("/hello").await.status, 200);
    world.store.runner().close().await;
    let reply = world.get("/hello").await;
    assert_eq!((reply.status, reply.fault.is_some()), (503, true));
}
