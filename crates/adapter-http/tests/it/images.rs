//! Photos: bytes while something public shows them.

use std::sync::Arc;

use fencepost_application::Stop;
use fencepost_ports::{Job, NoCache, memory::MemoryBlobs};

use crate::world::{FUTURE, World, id};

#[tokio::test]
async fn a_photo_is_its_bytes_under_the_type_that_its_key_tells() {
    let world = World::new().await;
    for (page, name) in [("/answers/1118", "lamp"), ("/", "clock")] {
        let path = world.photo_on(page).await;
        let answer = world.get(&path).await;
        assert_eq!(answer.text(), format!("bytes of the photo of a {name}"));
        assert_eq!(answer.header("etag"), format!("\"{}\"", path.trim_start_matches("/images/")));
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
}

#[tokio::test]
async fn a_photo_that_is_stored_but_not_public_is_not_there() {
    let world = World::new().await;
    world.clock.set("2026-11-28T22:30:00Z".parse().unwrap());
    world.site.run_job(Job::Compensate, &Stop::default()).await.unwrap();
    let future = world.site.item(id(FUTURE)).await.unwrap();
    let key = future.image.unwrap().object_key.unwrap();
    assert!(world.blobs.keys().contains(&key), "the photo of tomorrow is stored already");
    let path = format!("/images/{key}");
    let nowhere = world.get("/nope").await;
    assert_eq!(world.get(&path).await, nowhere);
    assert_eq!(world.get_with(&path, &[("if-none-match", "*")]).await, nowhere);
    world.clock.set("2026-11-29T00:00:00Z".parse().unwrap());
    assert_eq!(world.get(&path).await.status.as_u16(), 200);
}

#[tokio::test]
async fn a_photo_that_got_lost_is_a_fault_and_not_an_unknown_address() {
    let mut world = World::new().await;
    let path = world.photo_on("/").await;
    let tag = world.get(&path).await.header("etag").to_owned();
    world.config.site.blobs = Arc::new(MemoryBlobs::new());
    assert_eq!(world.get(&path).await.status.as_u16(), 200, "the cache still has it");
    world.config.site.cache = Arc::new(NoCache);
    let answer = world.get(&path).await;
    assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (500, "no-store"));
    let answer = world.get_with(&path, &[("if-none-match", &tag)]).await;
    assert_eq!(answer.status.as_u16(), 304, "no bytes are needed for those who have them");
}
