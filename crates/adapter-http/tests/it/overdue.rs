//! Requests that find out that no job has run.

use crate::world::editor;
use std::sync::{Arc, Mutex};

use fencepost_adapter_http::HttpConfig;
use fencepost_domain::time::UnixMillis;

use crate::world::{PUBLISHED, UNKNOWN, World};

/// The instants that were told while `paths` were asked for.
async fn told(world: World, paths: &[String]) -> Vec<UnixMillis> {
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = told.clone();
    let config = HttpConfig {
        on_overdue: Some(Arc::new(move |now| tell.lock().unwrap().push(now))),
        ..world.config.clone()
    };
    let world = World { config, ..world };
    for path in paths {
        world.get(path).await;
    }
    let told = told.lock().unwrap();
    told.clone()
}

fn pages() -> [String; 5] {
    [
        "/".to_owned(),
        "/answers".to_owned(),
        format!("/answers/{PUBLISHED}"),
        format!("/answers/{UNKNOWN}"),
        "/nowhere".to_owned(),
    ]
}

#[tokio::test]
async fn every_page_tells_that_something_is_overdue_and_when() {
    let world = World::new().await;
    // The photo that could not be had may be tried again.
    world.clock.advance(3_600_000);
    let now = world.clock.now();
    assert_eq!(told(world, &pages()).await, [now; 5]);
}

#[tokio::test]
async fn nothing_is_told_while_nothing_is_overdue() {
    assert_eq!(told(World::new().await, &pages()).await, []);
    let paused = World::new().await;
    paused.clock.advance(3_600_000);
    paused.site.set_paused(&editor(), true).await.unwrap();
    assert_eq!(told(paused, &pages()).await, []);
}

#[tokio::test]
async fn only_readers_tell() {
    let world = World::new().await;
    world.clock.advance(3_600_000);
    let others = ["/healthz", "/readyz", "/admin/api/status"];
    assert_eq!(told(world, &others.map(str::to_owned)).await, []);
}
