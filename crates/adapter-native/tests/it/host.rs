//! A host of images that does everything that a stranger may do, on a loopback socket.

use std::{
    convert::Infallible,
    future::pending,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{Path, Request},
    http::{HeaderMap, StatusCode, Uri, header},
    middleware,
    response::{IntoResponse, Response},
    routing::get,
};
use futures_util::{StreamExt, stream};
use tokio::net::TcpListener;

/// The smallest thing that begins like a PNG.
pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1A\nand the rest of it";

/// A running host. It ends with the test's runtime.
pub(crate) struct Host {
    pub(crate) address: SocketAddr,
    requests: Arc<AtomicUsize>,
}

impl Host {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&requests);
        let router = routes().layer(middleware::from_fn(move |request: Request, next: middleware::Next| {
            counter.fetch_add(1, Ordering::SeqCst);
            next.run(request)
        }));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, requests }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// How many requests arrived.
    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

fn routes() -> Router {
    Router::new()
        .route("/photo.png", get(|| sent_as("image/png", PNG)))
        .route("/lying.jpg", get(|| sent_as("image/jpeg; q=1", PNG)))
        .route("/octets", get(|| sent_as("application/octet-stream", PNG)))
        .route("/untyped", get(async || Body::from(PNG)))
        .route("/page.png", get(|| sent_as("image/png", b"<!doctype html><title>Gone</title>")))
        .route("/page.html", get(|| sent_as("text/html; charset=utf-8", PNG)))
        .route("/drawing.svg", get(|| sent_as("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>")))
        .route("/drawing.png", get(|| sent_as("image/png", b"<svg xmlns='http://www.w3.org/2000/svg'/>")))
        .route("/empty.png", get(|| sent_as("image/png", b"")))
        .route("/polite", get(polite))
        .route("/status/{code}", get(status))
        .route("/sized/{bytes}", get(sized))
        .route("/endless.png", get(endless))
        .route("/promised.png", get(promised))
        .route("/cut.png", get(cut))
        .route("/silent.png", get(pending::<StatusCode>))
        .route("/trickle.png", get(trickle))
        .route("/to", get(redirect))
        .route("/loop", get(async || (StatusCode::FOUND, [(header::LOCATION, "/loop")])))
        .route("/nowhere", get(async || StatusCode::FOUND))
        .route("/hop/{left}", get(hop))
}

async fn sent_as(content_type: &'static str, bytes: &'static [u8]) -> Response {
    ([(header::CONTENT_TYPE, content_type)], bytes).into_response()
}

/// A photo for clients that say who they are and what they want.
async fn polite(headers: HeaderMap) -> Response {
    let agent = headers[header::USER_AGENT].to_str().unwrap();
    let accepts = headers[header::ACCEPT].to_str().unwrap();
    if agent.starts_with("fencepost/0.") && accepts.contains("image/avif") && !headers.contains_key("referer")
    {
        sent_as("image/png", PNG).await
    } else {
        StatusCode::BAD_REQUEST.into_response()
    }
}

async fn status(Path(code): Path<u16>) -> StatusCode {
    StatusCode::from_u16(code).unwrap()
}

/// A photo of exactly so many bytes, with its length declared.
async fn sized(Path(bytes): Path<usize>) -> Vec<u8> {
    let mut photo = PNG.to_vec();
    photo.resize(bytes, 0);
    photo
}

/// A photo without an end and without a declared length.
async fn endless() -> Body {
    Body::from_stream(stream::repeat(Ok::<_, Infallible>([0_u8; 16 * 1024].as_slice())))
}

/// A photo of declared gigabytes, of which nothing ever comes.
async fn promised() -> Response {
    let nothing = Body::from_stream(stream::pending::<Result<&[u8], Infallible>>());
    ([(header::CONTENT_LENGTH, "9000000000")], nothing).into_response()
}

/// A photo that ends before its declared length.
async fn cut() -> Response {
    let part = stream::iter([Ok(PNG), Err("the host fell over")]);
    ([(header::CONTENT_LENGTH, "1000")], Body::from_stream(part)).into_response()
}

/// A photo that keeps coming, a few bytes at a time.
async fn trickle() -> Body {
    Body::from_stream(stream::repeat(PNG).then(async |bytes| {
        tokio::time::sleep(Duration::from_millis(10)).await;
        Ok::<_, Infallible>(bytes)
    }))
}

/// Redirects to its query.
async fn redirect(uri: Uri) -> Response {
    (StatusCode::FOUND, [(header::LOCATION, uri.query().unwrap().to_owned())]).into_response()
}

/// Redirects so many times, with relative addresses, to a photo.
async fn hop(Path(left): Path<usize>) -> Response {
    let to = match left.checked_sub(1) {
        Some(0) => "../photo.png".to_owned(),
        Some(left) => left.to_string(),
        None => return StatusCode::NOT_FOUND.into_response(),
    };
    (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, to)]).into_response()
}
