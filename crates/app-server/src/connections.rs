//! Connections: how long a silent client is listened to, and what an end waits for.
//!
//! A server that ends when its last *connection* has ended is at the mercy of its
//! clients. One that keeps a connection for later, or that sent half a request and then
//! fell silent, holds it up for as long as its patience lasts, although nothing is lost
//! when that connection is cut. What must not be cut is a *request* that has arrived: it
//! may have changed something, and somebody waits to be told what. So requests are
//! counted, the end waits for them, and connections get a moment more to carry the
//! answers away.
//!
//! While the server runs, two limits keep a silent client from holding anything for ever:
//! [`HEAD`] for the head of a request, [`BODY_PAUSE`] for the next piece of its body. The
//! latter limits a pause and not the whole, since a large import over a slow line is
//! nobody's fault.
//!
//! `axum::serve` offers neither the limits nor the count, so the loop over connections
//! stands here. hyper does the rest.

use std::{
    convert::Infallible,
    future::Future,
    io,
    net::IpAddr,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    BoxError, Router,
    body::{Body, BodyDataStream, Bytes, HttpBody},
    response::Response,
};
use futures_util::{StreamExt, stream};
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::shutdown::Shutdown;

/// How long the head of a request may take, and how long a connection may be idle.
const HEAD: Duration = Duration::from_secs(10);
/// How long the next piece of a body may take.
const BODY_PAUSE: Duration = Duration::from_secs(10);
/// The same, once the process was asked to end.
const LAST_BODY_PAUSE: Duration = Duration::from_secs(1);
/// How long the answers of the last requests may take to leave.
const LINGER: Duration = Duration::from_secs(1);
/// How long no connection is accepted after one could not be.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// Serves `router` until the process is asked to end and every request that has arrived
/// is answered.
pub(crate) async fn serve(listener: TcpListener, router: Router, shutdown: Shutdown) {
    let desk = Desk::before(router, shutdown.clone());
    let requests = desk.requests.clone();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            () = shutdown.requested() => break,
            Some(_) = connections.join_next() => {}
            (stream, peer) = accept(&listener) => {
                connections.spawn(converse(stream, peer, desk.clone()));
            }
        }
    }
    drop(listener);
    requests.all_answered().await;
    // Whoever is connected then has nothing under way here. Dropping the set cuts it off.
    let _ = timeout(LINGER, async { while connections.join_next().await.is_some() {} }).await;
}

/// Who is at the other end of the connection that a request came by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

async fn accept(listener: &TcpListener) -> (TcpStream, Peer) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                // An answer is written as a whole, so its last packet has nothing to wait for.
                let _ = stream.set_nodelay(true);
                return (stream, Peer(address.ip()));
            }
            // The client has gone again before its turn came.
            Err(error) if is_of_the_client(&error) => {}
            Err(error) => {
                tracing::error!("cannot accept connections: {error}; trying again");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn is_of_the_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Answers the requests of one connection, and ends it between two of them when the
/// process is asked to end.
async fn converse(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, peer: Peer, desk: Desk) {
    let shutdown = desk.shutdown.clone();
    let from_peer = service_fn(move |request| desk.attend(peer, request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), from_peer);
    let mut connection = pin!(connection);
    // An error is a client that went away or spoke something else than HTTP.
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.requested() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!("a connection broke off: {error}");
    }
}

/// What stands before the router: counts requests, and waits for bodies no longer than is
/// good.
#[derive(Clone)]
struct Desk {
    router: TowerToHyperService<Router>,
    requests: Requests,
    shutdown: Shutdown,
}

impl Desk {
    fn before(router: Router, shutdown: Shutdown) -> Self {
        Self { router: TowerToHyperService::new(router), requests: Requests::default(), shutdown }
    }

    fn attend(
        &self,
        peer: Peer,
        mut request: hyper::Request<Incoming>,
    ) -> impl Future<Output = Result<Response, Infallible>> + use<> {
        request.extensions_mut().insert(peer);
        let requests = self.requests.clone();
        let answer = self.router.call(request.map(|body| impatient(body, &self.shutdown)));
        async move {
            // From when it is looked at, which hyper may put off.
            let _in_hand = requests.one_more();
            answer.await
        }
    }
}

/// The same body, but a pause that is too long breaks it off.
fn impatient(body: Incoming, shutdown: &Shutdown) -> Body {
    if body.is_end_stream() {
        return Body::empty();
    }
    let shutdown = shutdown.clone();
    Body::from_stream(stream::unfold(Some(Body::new(body).into_data_stream()), move |rest| {
        let shutdown = shutdown.clone();
        async move {
            let mut rest = rest?;
            match piece(&mut rest, &shutdown).await? {
                Ok(piece) => Some((Ok(piece), Some(rest))),
                Err(error) => Some((Err(error), None)),
            }
        }
    }))
}

async fn piece(rest: &mut BodyDataStream, shutdown: &Shutdown) -> Option<Result<Bytes, BoxError>> {
    let asked_to_end = async {
        shutdown.requested().await;
        sleep(LAST_BODY_PAUSE).await;
    };
    tokio::select! {
        biased;
        piece = rest.next() => piece.map(|piece| piece.map_err(BoxError::from)),
        () = sleep(BODY_PAUSE) => Some(Err("the body did not go on in time".into())),
        () = asked_to_end => Some(Err("the server is about to end".into())),
    }
}

/// How many requests are in hand. Cheap to clone, and to count with: every request does.
#[derive(Clone, Debug, Default)]
struct Requests(Arc<Count>);

#[derive(Debug, Default)]
struct Count {
    in_hand: AtomicUsize,
    none: Notify,
}

impl Requests {
    fn one_more(&self) -> InHand {
        self.0.in_hand.fetch_add(1, Ordering::SeqCst);
        InHand(self.clone())
    }

    async fn all_answered(&self) {
        loop {
            let mut none = pin!(self.0.none.notified());
            // From here on the last answer is noticed, so it cannot slip by before the wait.
            none.as_mut().enable();
            if self.0.in_hand.load(Ordering::SeqCst) == 0 {
                return;
            }
            none.await;
        }
    }
}

/// A request in hand, until its answer is ready or its client has gone.
struct InHand(Requests);

impl Drop for InHand {
    fn drop(&mut self) {
        let Requests(count) = &self.0;
        if count.in_hand.fetch_sub(1, Ordering::SeqCst) == 1 {
            count.none.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use axum::{http::StatusCode, routing::post};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
        sync::watch,
        time::{Instant, advance},
    };

    use super::*;

    /// A client of a site that takes texts, and the wish that the site end.
    fn connect() -> (DuplexStream, watch::Sender<bool>) {
        let (wish, shutdown) = Shutdown::on_wish();
        let router = Router::new().route(
            "/",
            post(async |body: Result<String, _>| match body {
                Ok(text) => (StatusCode::OK, text),
                Err(_) => (StatusCode::BAD_REQUEST, "half a body".to_owned()),
            }),
        );
        let (client, server) = duplex(1_024);
        let peer = Peer(Ipv4Addr::LOCALHOST.into());
        tokio::spawn(converse(server, peer, Desk::before(router, shutdown)));
        (client, wish)
    }

    /// What comes until the connection ends, and after how many seconds it does.
    async fn end_of(mut client: DuplexStream) -> (String, u64) {
        let began = Instant::now();
        let mut said = String::new();
        client.read_to_string(&mut said).await.unwrap();
        (said, began.elapsed().as_secs())
    }

    async fn send(client: &mut DuplexStream, text: &str) {
        client.write_all(text.as_bytes()).await.unwrap();
    }

    const WHOLE: &str = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\ntext";
    const HALF_A_HEAD: &str = "POST / HTTP/1.1\r\nhost";
    const HALF_A_BODY: &str = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nte";

    #[tokio::test(start_paused = true)]
    async fn a_silent_client_is_listened_to_for_ten_seconds() {
        for (sent, status) in [("", ""), (HALF_A_HEAD, ""), (WHOLE, "200"), (HALF_A_BODY, "400")] {
            let (mut client, _wish) = connect();
            send(&mut client, sent).await;
            let (said, seconds) = end_of(client).await;
            assert_eq!(seconds, 10, "after {sent:?}: {said}");
            assert_eq!(said.get(9..12).unwrap_or_default(), status, "after {sent:?}: {said}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_may_take_as_long_as_it_goes_on() {
        let (mut client, _wish) = connect();
        send(&mut client, HALF_A_BODY).await;
        advance(Duration::from_secs(9)).await;
        send(&mut client, "x").await;
        advance(Duration::from_secs(9)).await;
        send(&mut client, "t").await;
        let (said, _) = end_of(client).await;
        assert!(said.contains("200 OK") && said.ends_with("text"), "{said}");
    }

    #[tokio::test(start_paused = true)]
    async fn an_end_closes_what_is_idle_and_waits_a_second_for_half_a_body() {
        for (sent, status, expected) in [("", "", 0), (WHOLE, "200", 0), (HALF_A_BODY, "400", 1)] {
            let (mut client, wish) = connect();
            send(&mut client, sent).await;
            advance(Duration::from_millis(1)).await;
            wish.send_replace(true);
            let (said, seconds) = end_of(client).await;
            assert_eq!(seconds, expected, "after {sent:?}: {said}");
            assert_eq!(said.get(9..12).unwrap_or_default(), status, "after {sent:?}: {said}");
        }
    }
}
