//! A receiver of events, on a loopback socket, and what it does to whoever sends to it.

use std::{
    net::Ipv4Addr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    routing::{any, post},
};
use fencepost_adapter_native::{HttpWebhook, Reachable};
use fencepost_ports::{Notice, Webhook, WebhookError};
use tokio::{io::AsyncReadExt, net::TcpListener};

type Got = Arc<Mutex<Vec<(HeaderMap, String)>>>;

/// A receiver that writes down what it gets.
struct Receiver {
    origin: String,
    got: Got,
}

impl Receiver {
    async fn start() -> Self {
        let got = Got::default();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let routes = Router::new()
            .route("/hang", any(std::future::pending::<StatusCode>))
            .route("/elsewhere", any(async || (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, "/200")])))
            .route("/{status}", post(take))
            .with_state(got.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { origin, got }
    }

    fn at(&self, path: &str) -> HttpWebhook {
        webhook(&format!("{}{path}", self.origin), Reachable::Everything)
    }

    fn got(&self) -> Vec<(HeaderMap, String)> {
        self.got.lock().unwrap().clone()
    }
}

async fn take(
    State(got): State<Got>,
    Path(status): Path<u16>,
    headers: HeaderMap,
    body: String,
) -> StatusCode {
    got.lock().unwrap().push((headers, body));
    StatusCode::from_u16(status).unwrap()
}

fn webhook(address: &str, reachable: Reachable) -> HttpWebhook {
    HttpWebhook::new(address.parse().unwrap(), reachable)
}

fn notice() -> Notice {
    Notice {
        headers: vec![
            ("idempotency-key", "publish-7-v1".to_owned()),
            ("x-fencepost-signature", "t=1,v1=ab".to_owned()),
        ],
        body: r#"{"event":"published"}"#.to_owned(),
    }
}

async fn complaint(webhook: &HttpWebhook) -> String {
    match webhook.post(&notice()).await {
        Err(WebhookError::Unanswered(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_notice_arrives_as_it_is() {
    let receiver = Receiver::start().await;
    assert_eq!(receiver.at("/202").post(&notice()).await, Ok(202));
    let [(headers, body)] = receiver.got().try_into().unwrap();
    assert_eq!(body, notice().body);
    for (name, value) in [
        ("idempotency-key", "publish-7-v1"),
        ("x-fencepost-signature", "t=1,v1=ab"),
        ("content-type", "application/json"),
        ("user-agent", concat!("fencepost/", env!("CARGO_PKG_VERSION"))),
    ] {
        assert_eq!(headers[name], value, "{name}");
    }
}

#[tokio::test]
async fn every_status_is_told_and_none_is_followed_or_tried_again() {
    let receiver = Receiver::start().await;
    for status in [200, 204, 400, 410, 429, 500, 503] {
        assert_eq!(receiver.at(&format!("/{status}")).post(&notice()).await, Ok(status));
    }
    assert_eq!(receiver.at("/elsewhere").post(&notice()).await, Ok(307));
    assert_eq!(receiver.got().len(), 7, "each was sent once, and nothing where a redirect leads");
}

#[tokio::test]
async fn a_receiver_that_hangs_is_waited_for_no_longer_than_that() {
    let receiver = Receiver::start().await;
    let impatient = receiver.at("/hang").with_patience(Duration::from_millis(20));
    assert_eq!(complaint(&impatient).await, "the receiver did not answer within 0.02 s");
}

#[tokio::test]
async fn a_receiver_that_breaks_off_is_sent_nothing_again_by_itself() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = format!("http://{}/secret-path", listener.local_addr().unwrap());
    let connections = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 16];
        let _ = socket.read(&mut buffer).await.unwrap();
        drop(socket);
        tokio::time::timeout(Duration::from_millis(200), listener.accept()).await.is_ok()
    });
    let why = complaint(&webhook(&address, Reachable::Everything)).await;
    assert!(why.starts_with("the receiver broke off (") && !why.contains("secret-path"), "{why}");
    assert!(!connections.await.unwrap(), "it was connected to again");
}

#[tokio::test]
async fn a_private_receiver_is_visited_by_permission_only() {
    let receiver = Receiver::start().await;
    let port = receiver.origin.rsplit(':').next().unwrap();
    for host in ["127.0.0.1", "localhost", "2130706433"] {
        let private = webhook(&format!("http://{host}:{port}/200"), Reachable::Public);
        let why = complaint(&private).await;
        assert!(why.starts_with("the receiver was not connected to: "), "{host}: {why}");
        assert!(why.ends_with("is not a public address"), "{host}: {why}");
    }
    assert_eq!(receiver.got().len(), 0);
}

#[test]
fn a_receivers_address_is_not_shown() {
    let shown = format!("{:?}", webhook("https://receiver.example/secret", Reachable::Public));
    assert_eq!(shown, "HttpWebhook(..)");
}
