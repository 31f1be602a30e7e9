//! An image host on loopback that counts its requests, can be made to wait, and sends
//! what strangers send.

use std::{
    collections::BTreeMap,
    net::Ipv4Addr,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Body,
    extract::{Path, State},
    http::{Response, StatusCode},
    routing::get,
};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};

use crate::harness::until;

/// The beginning of every PNG.
const PNG: &[u8] = b"\x89PNG\r\n\x1A\n";

/// How many bytes a photo may have, by the fetcher's documentation.
const LIMIT: usize = 8 * 1024 * 1024;

/// An image host. Every path is a photo of its own, but those that begin with a word
/// that [`answer`] knows.
pub(crate) struct ImageServer {
    url: String,
    host: Host,
    task: JoinHandle<()>,
}

#[derive(Clone)]
struct Host {
    requests: Arc<Mutex<BTreeMap<String, usize>>>,
    open: watch::Sender<bool>,
}

impl ImageServer {
    /// Starts one that answers at once.
    pub(crate) async fn start() -> Self {
        let host = Host { requests: Arc::default(), open: watch::Sender::new(true) };
        let router = Router::new().route("/{name}", get(serve)).with_state(host.clone());
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, host, task }
    }

    /// The address of a photo.
    pub(crate) fn photo(&self, name: &str) -> String {
        format!("{}/{name}", self.url)
    }

    /// From now on, requests are counted and wait for [`Self::release`].
    pub(crate) fn hold(&self) {
        self.host.open.send_replace(false);
    }

    /// Answers all that wait, and all that come.
    pub(crate) fn release(&self) {
        self.host.open.send_replace(true);
    }

    /// How many requests there were in all.
    pub(crate) fn requests(&self) -> usize {
        self.host.requests.lock().unwrap().values().sum()
    }

    /// How many requests there were for one photo.
    pub(crate) fn requests_for(&self, name: &str) -> usize {
        self.host.requests.lock().unwrap().get(name).copied().unwrap_or(0)
    }

    /// Waits until there have been `count` requests.
    pub(crate) async fn has_been_asked(&self, count: usize) {
        until("requests for photos", async || self.requests() >= count).await;
    }
}

impl Drop for ImageServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(State(host): State<Host>, Path(name): Path<String>) -> Response<Body> {
    *host.requests.lock().unwrap().entry(name.clone()).or_default() += 1;
    let mut open = host.open.subscribe();
    open.wait_for(|open| *open).await.unwrap();
    answer(&name)
}

fn answer(name: &str) -> Response<Body> {
    let response = Response::builder();
    let photo = |size: usize| {
        let mut bytes = [PNG, name.as_bytes()].concat();
        bytes.resize(size.max(bytes.len()), b'.');
        Body::from(bytes)
    };
    let word = name.split(['-', '.']).next().unwrap_or_default();
    let response = match word {
        "missing" => response.status(StatusCode::NOT_FOUND).body(Body::empty()),
        "busy" => response.status(StatusCode::SERVICE_UNAVAILABLE).body(Body::empty()),
        "page" => response.header("content-type", "text/html").body("<p>A page".into()),
        "garbled" => response.header("content-type", "image/png").body("No photo at all".into()),
        "huge" => response.header("content-type", "image/png").body(photo(LIMIT + 1)),
        "large" => response.header("content-type", "image/png").body(photo(LIMIT / 16)),
        "circle" => response.status(StatusCode::FOUND).header("location", name).body(Body::empty()),
        "file" => {
            response.status(StatusCode::FOUND).header("location", "file:///etc/hosts").body(Body::empty())
        }
        _ => response.header("content-type", "image/png").body(photo(0)),
    };
    response.unwrap()
}
