//! Clients that do not wait for the end.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use axum::{body::Body, http::Request};
use fencepost_domain::ledger::ItemState;
use fencepost_ports::{FetchError, FetchedImage, ImageSource};
use futures_util::{FutureExt, future::BoxFuture};
use tower::ServiceExt;

use crate::world::{FUTURE, TOKEN, World, id};

/// A network: it answers, but not at once.
struct SlowImages(Arc<dyn ImageSource>);

#[async_trait]
impl ImageSource for SlowImages {
    async fn fetch(&self, url: &str) -> Result<FetchedImage, FetchError> {
        tokio::task::yield_now().await;
        self.0.fetch(url).await
    }
}

/// The day after tomorrow, with one photo still to be fetched.
async fn slow_world() -> World {
    let mut world = World::new().await;
    world.config.site.image_source = Arc::new(SlowImages(world.site.image_source.clone()));
    world.clock.set("2026-11-30T00:10:00Z".parse().unwrap());
    world
}

/// Asks for a job and hangs up while it waits for the network.
fn ask_and_hang_up(world: &World) {
    let request = Request::post("/admin/api/jobs/publish")
        .header("authorization", format!("Bearer {TOKEN}"))
        .body(Body::empty())
        .unwrap();
    assert!(world.router().oneshot(request).now_or_never().is_none(), "the job did not wait for anything");
}

async fn state(world: &World) -> ItemState {
    world.site.item(id(FUTURE)).await.unwrap().item.unwrap().state
}

#[tokio::test]
async fn a_job_goes_on_when_its_client_has_gone() {
    let tasks: Arc<Mutex<Vec<BoxFuture<'static, ()>>>> = Arc::default();
    let mut world = slow_world().await;
    let spawned = tasks.clone();
    world.config.spawner = Some(Arc::new(move |task| spawned.lock().unwrap().push(task)));
    ask_and_hang_up(&world);
    assert_ne!(state(&world).await, ItemState::Published);
    let spawned = std::mem::take(&mut *tasks.lock().unwrap());
    for task in spawned {
        task.await;
    }
    assert_eq!(state(&world).await, ItemState::Published);
    assert_eq!(world.site.verify().await.unwrap(), []);
}

#[tokio::test]
async fn a_job_that_is_cut_off_is_finished_by_the_next_run() {
    let world = slow_world().await;
    ask_and_hang_up(&world);
    assert_ne!(state(&world).await, ItemState::Published);
    assert_eq!(world.site.verify().await.unwrap(), []);
    world.clock.advance(world.site.settings.lease_ms);
    let report = world.admin(axum::http::Method::POST, "/jobs/compensate", None).await.json();
    assert_eq!(report["counts"]["published"], 1, "what had its photo came out before the cut: {report}");
    assert_eq!(state(&world).await, ItemState::Published);
}
