//! Events, told by a running server to a receiver that misbehaves.

use std::{
    collections::VecDeque,
    net::Ipv4Addr,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::post,
};
use fencepost_adapter_http::Secret;
use tokio::net::TcpListener;

use crate::{
    bank::{bank, november},
    harness::{Place, Server, until},
};

const SECRET: &str = "a-secret-of-the-receiver-of-events";
/// The status of a receiver that never answers.
const HANG: u16 = 0;

/// A receiver that answers as it is told, once each, and well afterwards.
struct Receiver {
    url: String,
    state: Arc<Mutex<Received>>,
}

#[derive(Default)]
struct Received {
    statuses: VecDeque<u16>,
    notices: Vec<(String, String, String)>,
}

impl Receiver {
    async fn start(statuses: impl IntoIterator<Item = u16>) -> Self {
        let state = Arc::new(Mutex::new(Received {
            statuses: statuses.into_iter().collect(),
            ..Received::default()
        }));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}/events", listener.local_addr().unwrap());
        let routes = Router::new().route("/events", post(receive)).with_state(state.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { url, state }
    }

    /// The keys of all that arrived. Each is checked to be signed.
    fn keys(&self) -> Vec<String> {
        let sign = Secret::new(SECRET).unwrap().into_signer();
        let state = self.state.lock().unwrap();
        let check = |(key, signature, body): &(String, String, String)| {
            let (time, signature) = signature.strip_prefix("t=").unwrap().split_once(",v1=").unwrap();
            assert_eq!(sign(&format!("{time}.{body}")), signature);
            key.clone()
        };
        state.notices.iter().map(check).collect()
    }

    async fn has_got(&self, count: usize) {
        until("events to arrive", async || self.keys().len() >= count).await;
    }

    /// A server that tells of pages.
    async fn server(&self, place: &Place) -> Server {
        let kinds = "published,updated,withdrawn,reinstated";
        self.server_with(place, &["--webhook-events", kinds]).await
    }

    async fn server_with(&self, place: &Place, more: &[&str]) -> Server {
        let options = ["--webhook-url", &self.url, "--webhook-secret", SECRET, "--allow-private-webhook"];
        place.serve(&[&options, more].concat()).await
    }
}

async fn receive(State(state): State<Arc<Mutex<Received>>>, headers: HeaderMap, body: String) -> StatusCode {
    let header = |name: &str| headers[name].to_str().unwrap().to_owned();
    let status = {
        let mut state = state.lock().unwrap();
        state.notices.push((header("idempotency-key"), header("x-fencepost-signature"), body));
        state.statuses.pop_front().unwrap_or(200)
    };
    match status {
        HANG => std::future::pending().await,
        status => StatusCode::from_u16(status).unwrap(),
    }
}

async fn delivered(place: &Place) -> i64 {
    place.number("SELECT count(*) FROM outbox WHERE state = 'delivered'").await
}

/// A place where somebody has begun to listen.
async fn listening(receiver: &Receiver) -> (Place, Server) {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    let server = receiver.server(&place).await;
    until("the beginning", async || place.number("SELECT count(*) FROM outbox_cursor").await == 1).await;
    (place, server)
}

#[tokio::test]
async fn what_a_server_publishes_and_a_command_withdraws_is_told() {
    let receiver = Receiver::start([]).await;
    let (place, _server) = listening(&receiver).await;
    place.import(&bank(november(2))).await;
    receiver.has_got(2).await;
    place.succeed(&["withdraw", "2"]).await;
    receiver.has_got(3).await;
    assert_eq!(receiver.keys(), ["publish-1-v1", "publish-2-v1", "withdraw-2-v2"]);
    until("it to be written down", async || delivered(&place).await == 3).await;
    let status = place.succeed(&["status"]).await;
    let line = |name: &str| status.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(line("events pending").ends_with(" 0") && line("events dead").ends_with(" 0"));
}

#[tokio::test]
async fn a_receiver_that_hangs_keeps_no_answer_waiting_and_is_told_again_after_a_crash() {
    let receiver = Receiver::start([HANG]).await;
    let (mut place, server) = listening(&receiver).await;
    place.import(&bank(november(1))).await;
    receiver.has_got(1).await;
    place.import(&bank(november(3))).await;
    let published = "SELECT count(*) FROM publication_items WHERE state = 'published'";
    until("the others to come out", async || place.number(published).await == 3).await;
    server.signal("KILL").await;
    drop(server);
    assert_eq!(delivered(&place).await, 0);

    // By then the claim of the dead process has ended.
    place.let_pass(60_000);
    let _server = receiver.server(&place).await;
    until("all to be delivered", async || delivered(&place).await == 3).await;
    let mut keys = receiver.keys();
    keys.sort();
    assert_eq!(keys, ["publish-1-v1", "publish-1-v1", "publish-2-v1", "publish-3-v1"]);
}

#[tokio::test]
async fn a_server_that_is_asked_to_end_does_not_wait_for_a_receiver_that_hangs() {
    let receiver = Receiver::start([HANG]).await;
    let (place, server) = listening(&receiver).await;
    place.import(&bank(november(1))).await;
    receiver.has_got(1).await;
    server.signal("TERM").await;
    let ended = server.end().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("what it was sent is sent again"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("with work in hand"), "{}", ended.stderr);
}

#[tokio::test]
async fn a_server_that_runs_no_jobs_tells_that_nobody_does_and_when_somebody_has() {
    let receiver = Receiver::start([]).await;
    let mut place = Place::at("2026-11-29T12:00:00Z").await;
    let options = ["--no-cron", "--webhook-events", "alert_raised,alert_cleared"];
    let server = receiver.server_with(&place, &options).await;
    place.import(&bank(november(1))).await;
    receiver.has_got(2).await;
    let kinds = place.rows("SELECT kind FROM alert_episodes ORDER BY kind").await;
    assert_eq!(kinds, ["no_heartbeat", "overdue"]);
    place.succeed(&["run", "compensate"]).await;
    let calm = "SELECT count(*) FROM alert_episodes WHERE calm_since IS NOT NULL";
    until("the server to see that", async || place.number(calm).await == 2).await;
    drop(server);
    place.let_pass(600_000);
    let _server = receiver.server_with(&place, &options).await;
    receiver.has_got(4).await;
    let mut keys = receiver.keys();
    keys.sort();
    assert_eq!(keys, ["alert-1-cleared", "alert-1-raised", "alert-2-cleared", "alert-2-raised"]);
}

#[tokio::test]
async fn a_receiver_that_cannot_be_is_refused_at_the_start_and_not_shown() {
    let place = Place::new();
    let url = "https://receiver.example/hunter2";
    for (options, part) in [
        (vec!["--webhook-url", url], "no secret"),
        (vec!["--webhook-url", url, "--webhook-secret", "hunter2"], "secret cannot be used"),
        (vec!["--webhook-url", "hunter2", "--webhook-secret", SECRET], "URL cannot be used"),
        (
            vec!["--webhook-url", url, "--webhook-secret", SECRET, "--secret", SECRET],
            "secret is that of the site as well",
        ),
        (
            vec!["--webhook-url", url, "--webhook-secret", SECRET, "--webhook-events", "everything"],
            "published,updated,withdrawn,reinstated",
        ),
    ] {
        let ended = place.run(&[&["serve"], options.as_slice()].concat()).await;
        assert_eq!(ended.code, Some(2), "{options:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(part) && !ended.stderr.contains("hunter2"), "{}", ended.stderr);
    }
}
