//! The outbox over the API and in the dashboard.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use axum::http::Method;
use fencepost_adapter_http::WebhookSettings;
use fencepost_application::{Expected, Site};
use fencepost_ports::{Notice, Webhook, WebhookError};
use futures_util::future::BoxFuture;
use serde_json::json;

use crate::world::{PUBLISHED, World, editor, id};

/// A receiver that answers as it is told, and writes down what it gets.
#[derive(Default)]
pub(crate) struct Receiver {
    status: Mutex<u16>,
    keys: Mutex<Vec<String>>,
}

#[async_trait]
impl Webhook for Receiver {
    async fn post(&self, notice: &Notice) -> Result<u16, WebhookError> {
        let (_, key) = notice.headers.iter().find(|(name, _)| *name == "idempotency-key").unwrap();
        self.keys.lock().unwrap().push(key.clone());
        Ok(*self.status.lock().unwrap())
    }
}

impl Receiver {
    pub(crate) fn answer(&self, status: u16) {
        *self.status.lock().unwrap() = status;
    }

    fn keys(&self) -> Vec<String> {
        self.keys.lock().unwrap().clone()
    }
}

/// A world in which somebody is told what happens to pages, behind the answers of requests.
pub(crate) async fn listening() -> (World, Arc<Receiver>) {
    listening_to(Some("published,updated,withdrawn,reinstated")).await
}

/// The same for whoever wants these events; without a list, all.
pub(crate) async fn listening_to(events: Option<&str>) -> (World, Arc<Receiver>) {
    let mut world = World::new().await;
    let receiver = Arc::new(Receiver::default());
    receiver.answer(200);
    let secret = "0123456789abcdef0123456789abcdef";
    let settings = WebhookSettings::read(Some("https://a.example/"), Some(secret), events, false, None);
    let outlet = settings.unwrap().unwrap().outlet(receiver.clone(), None);
    world.site = Site { outlet: Some(outlet), ..world.site };
    world.config.site = world.site.clone();
    world.config.spawner = Some(Arc::new(|task: BoxFuture<'static, ()>| drop(tokio::spawn(task))));
    world.site.deliver_events(&world.config.stop).await.unwrap();
    (world, receiver)
}

/// Lets everything happen that was started behind an answer.
pub(crate) async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_an_operator_does_is_told_behind_the_answer() {
    let (world, receiver) = listening().await;
    let path = format!("/items/{PUBLISHED}/withdraw");
    let answer = world.admin(Method::POST, &path, None).await;
    assert_eq!(answer.status.as_u16(), 200);
    settle().await;
    assert_eq!(receiver.keys(), [format!("withdraw-{PUBLISHED}-v2")]);
}

#[tokio::test]
async fn a_dead_event_is_listed_counted_and_retried() {
    let (world, receiver) = listening().await;
    receiver.answer(410);
    world.site.withdraw(&editor(), id(PUBLISHED), Expected::ANYTHING).await.unwrap();
    world.site.deliver_events(&world.config.stop).await.unwrap();
    let name = format!("withdraw-{PUBLISHED}-v2");

    let status = world.admin(Method::GET, "/status", None).await.json();
    assert_eq!(status["outbox"], json!({ "pending": 0, "dead": 1 }));
    let list = world.admin(Method::GET, "/outbox?state=dead", None).await.json();
    let now = world.clock.now();
    let expected = json!({
        "events": [{
            "number": 1,
            "event_id": name,
            "kind": "withdrawn",
            "puzzle_id": PUBLISHED,
            "content_version": 2,
            "revision": 5,
            "happened_at": now,
            "state": "dead",
            "attempts": 1,
            "created_at": now,
            "next_attempt_at": now.plus(30_000),
            "last_error": "the receiver answered 410: it wants no more",
            "delivered_at": null,
        }],
        "next_before": 1,
    });
    assert_eq!(list, expected);
    for (query, count) in [("", 1), ("?state=pending", 0), ("?before=1", 0), ("?before=2&state=dead", 1)] {
        let list = world.admin(Method::GET, &format!("/outbox{query}"), None).await.json();
        assert_eq!(list["events"].as_array().map(Vec::len), Some(count), "{query}");
    }

    receiver.answer(200);
    let retried = world.admin(Method::POST, &format!("/outbox/{name}/retry"), None).await;
    assert_eq!((retried.status.as_u16(), &retried.json()["state"]), (200, &json!("pending")));
    settle().await;
    assert_eq!(receiver.keys(), [name.clone(), name.clone()]);
    let list = world.admin(Method::GET, "/outbox?state=delivered", None).await.json();
    assert_eq!(list["events"][0]["event_id"], name);

    let again = world.admin(Method::POST, &format!("/outbox/{name}/retry"), None).await;
    assert_eq!(again.status.as_u16(), 409);
    assert_eq!(again.json()["type"], "urn:fencepost:problem:already-delivered");
}

#[tokio::test]
async fn what_cannot_be_asked_of_the_outbox_is_refused() {
    let (world, _) = listening().await;
    let texts = ["?state=lost", "?state=", "?before=x", "?before="];
    // D1 has no place for an integer beyond 2^53, and no event has such a number.
    let numbers = ["?before=0", "?before=-9223372036854775808", "?before=9007199254740992"];
    for query in texts.into_iter().chain(numbers) {
        let answer = world.admin(Method::GET, &format!("/outbox{query}"), None).await;
        assert_eq!(answer.status.as_u16(), 400, "{query}");
        assert_eq!(answer.json()["type"], "urn:fencepost:problem:invalid-query");
    }
    for name in ["publish-9-v9", "a%20b", "%70ublish-1118-v1", "x/y"] {
        let answer = world.admin(Method::POST, &format!("/outbox/{name}/retry"), None).await;
        assert_eq!(answer.status.as_u16(), 404, "{name}");
    }
}

#[tokio::test]
async fn an_alert_is_an_event_with_what_it_means() {
    let (world, receiver) = listening_to(Some("alert_raised,alert_cleared")).await;
    assert_eq!(receiver.keys(), ["alert-1-raised", "alert-2-raised"]);
    let list = world.admin(Method::GET, "/outbox", None).await.json();
    let mut event = list["events"][0].clone();
    let meaning = event["alert"]["meaning"].take();
    assert!(meaning.as_str().unwrap().contains("No run of `compensate` has ever ended"), "{meaning}");
    assert!(event["alert"]["remedy"].take().as_str().unwrap().contains("Nothing starts the jobs"));
    let now = world.clock.now();
    let expected = json!({
        "number": 2,
        "event_id": "alert-2-raised",
        "kind": "alert_raised",
        "alert": {
            "number": 2,
            "kind": "no_heartbeat",
            "severity": "alert",
            "job": "compensate",
            "since": event["alert"]["since"],
            "count": 1,
            "meaning": null,
            "remedy": null,
            "raised_at": now,
        },
        "happened_at": now,
        "state": "delivered",
        "attempts": 1,
        "created_at": now,
        "next_attempt_at": now.plus(30_000),
        "last_error": null,
        "delivered_at": now,
    });
    assert_eq!(event, expected);
}

#[tokio::test]
async fn a_receiver_without_a_list_is_told_of_pages_and_of_alerts() {
    let (world, receiver) = listening_to(None).await;
    world.site.withdraw(&editor(), id(PUBLISHED), Expected::ANYTHING).await.unwrap();
    world.site.deliver_events(&world.config.stop).await.unwrap();
    let withdrawn = format!("withdraw-{PUBLISHED}-v2");
    assert_eq!(receiver.keys(), ["alert-1-raised", "alert-2-raised", &withdrawn]);
}
