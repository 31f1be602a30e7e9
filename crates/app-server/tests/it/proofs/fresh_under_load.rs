//! Whoever asks after a change has been committed is told of it, however many ask.
//!
//! A crowd keeps one server busy, so that its reads of the revision are shared. Changes are
//! committed beside it: by this very process, which so knows of a commit microseconds after
//! it has landed, by another server, and by the busy one itself. Right then some witnesses
//! ask, on connections that stand already. No request may be told of less than was committed
//! when it was sent.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};

use fencepost_adapter_native::{DiskBlobs, FetchPolicy, HttpImages};
use fencepost_adapter_sqlite::{Durability, SqliteOptions, site_in};
use fencepost_application::{Counters, Expected, Resolutions, Settings, Site};
use fencepost_core::RandomTokens;
use fencepost_domain::{action::Actor, id::PuzzleId};
use fencepost_ports::{Budget, NoCache, Stores};
use fencepost_sqlite::TokioTimer;
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    task::JoinSet,
};

use crate::{
    bank::{bank, row},
    harness::{Place, Server, alone, in_time, rounds},
};

const READERS: usize = 32;
const WITNESSES: usize = 8;

/// The puzzle that is withdrawn and reinstated in turn; the other one stays.
const CHANGED: i64 = 1;
/// What shows it: its page, and a list.
const PATHS: [&str; 2] = ["/answers/1", "/answers"];

/// A connection that is kept, and no more of HTTP than it takes.
struct Wire {
    stream: BufReader<TcpStream>,
    path: &'static str,
}

struct Answer {
    status: u16,
    revision: i64,
    body: String,
}

impl Wire {
    async fn to(server: &Server, nth: usize) -> Self {
        let stream = TcpStream::connect(server.url().strip_prefix("http://").unwrap()).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream: BufReader::new(stream), path: PATHS[nth % PATHS.len()] }
    }

    async fn send(&mut self) {
        let request = format!("GET {} HTTP/1.1\r\nhost: a\r\n\r\n", self.path);
        self.stream.write_all(request.as_bytes()).await.unwrap();
    }

    async fn answer(&mut self) -> Answer {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(self.stream.read_line(&mut head).await.unwrap(), 0, "hung up after {head:?}");
        }
        let value = |name: &str| -> i64 {
            let line = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            line.unwrap_or_else(|| panic!("no {name} in {head}")).parse().unwrap()
        };
        let mut body = vec![0; usize::try_from(value("content-length")).unwrap()];
        self.stream.read_exact(&mut body).await.unwrap();
        Answer {
            status: head[9..12].parse().unwrap(),
            revision: value("x-publication-revision"),
            body: String::from_utf8(body).unwrap(),
        }
    }

    /// Holds an answer against what was committed when it was asked for.
    fn check(&self, answer: &Answer, committed: i64, history: &History) {
        let Answer { status, revision, ref body } = *answer;
        assert!(revision >= committed, "{}: told of {revision}, after {committed}", self.path);
        assert!(revision <= history.begun.load(Ordering::SeqCst), "told of what nobody has begun");
        let is_out = history.is_out(revision);
        let expected = if is_out || self.path == "/answers" { 200 } else { 410 };
        assert_eq!((status, body.contains("Thing 1")), (expected, is_out), "{} at {revision}", self.path);
    }
}

/// The revisions so far. Each changes the one page, and nothing else does.
struct History {
    /// The one with which everything was out.
    first: i64,
    begun: AtomicI64,
    committed: AtomicI64,
    over: AtomicBool,
}

impl History {
    fn is_out(&self, revision: i64) -> bool {
        (revision - self.first) % 2 == 0
    }
}

/// A second process on the same file, which is this one.
async fn neighbour(place: &Place) -> Site {
    let options = SqliteOptions {
        // Nothing is cut off here, so nothing has to wait for the disk.
        durability: Durability::Normal,
        busy_timeout: Duration::from_secs(60),
        ..site_in(place.database())
    };
    let store = fencepost_adapter_sqlite::open(options).await.unwrap();
    Site {
        stores: Stores::of(Arc::new(store)),
        blobs: Arc::new(DiskBlobs::open(place.blobs()).unwrap()),
        image_source: Arc::new(HttpImages::new(FetchPolicy::default())),
        cache: Arc::new(NoCache),
        tokens: Arc::new(RandomTokens),
        timer: Arc::new(TokioTimer),
        budget: Budget::unlimited(),
        resolutions: Resolutions::default(),
        counters: Counters::default(),
        outlet: None,
        settings: Settings::default(),
    }
}

/// Withdraws the page, or reinstates it, and returns the revision as soon as it is told.
async fn change(withdraw: bool, site: &Site, server: Option<&Server>) -> i64 {
    if let Some(server) = server {
        let what = if withdraw { "withdraw" } else { "reinstate" };
        let report = server.post(&format!("/items/{CHANGED}/{what}"), &json!({})).await;
        return report["revision"].as_i64().unwrap_or_else(|| panic!("{report}"));
    }
    let (by, id) = (Actor::new("Ada", None).unwrap(), PuzzleId::try_from(CHANGED).unwrap());
    let report = if withdraw {
        site.withdraw(&by, id, Expected::ANYTHING).await.unwrap()
    } else {
        site.reinstate(&by, id, Expected::ANYTHING).await.unwrap()
    };
    report.revision.unwrap_or_else(|| panic!("{report:?}")).get()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_is_told_of_less_than_was_committed_when_it_was_sent() {
    let _turn = alone().await;
    let place = Place::new();
    place.import(&bank([row(CHANGED, "2020-01-01"), row(2, "2020-01-02")])).await;
    place.succeed(&["run", "publish"]).await;
    let (busy, other) = (place.serve(&["--no-cron"]).await, place.serve(&["--no-cron"]).await);
    let site = neighbour(&place).await;
    let first = place.number("SELECT publication_revision FROM site_state").await;
    let history = Arc::new(History {
        first,
        begun: AtomicI64::new(first),
        committed: AtomicI64::new(first),
        over: AtomicBool::new(false),
    });

    let mut readers = JoinSet::new();
    for nth in 0..READERS {
        let (mut wire, history) = (Wire::to(&busy, nth).await, Arc::clone(&history));
        readers.spawn(async move {
            let mut answers = 0;
            while !history.over.load(Ordering::SeqCst) {
                let committed = history.committed.load(Ordering::SeqCst);
                wire.send().await;
                let answer = wire.answer().await;
                wire.check(&answer, committed, &history);
                answers += 1;
            }
            answers
        });
    }
    let mut witnesses = Vec::new();
    for nth in 0..WITNESSES {
        witnesses.push(Wire::to(&busy, nth).await);
    }

    for round in 1..=rounds(600, 6_000) {
        let revision = first + i64::try_from(round).unwrap();
        history.begun.store(revision, Ordering::SeqCst);
        let server = [Some(&busy), Some(&other)].get(round % 15).copied().flatten();
        let committed = in_time("a change", change(!history.is_out(revision), &site, server)).await;
        for witness in &mut witnesses {
            witness.send().await;
        }
        assert_eq!(committed, revision);
        history.committed.store(revision, Ordering::SeqCst);
        for witness in &mut witnesses {
            let answer = in_time("an answer", witness.answer()).await;
            witness.check(&answer, committed, &history);
        }
    }
    history.over.store(true, Ordering::SeqCst);
    while let Some(answers) = in_time("the end of a reader", readers.join_next()).await {
        assert!(answers.unwrap() > 0, "a reader was never answered");
    }
    for server in [busy, other] {
        server.stop().await.assert_quiet();
    }
    place.run(&["verify"]).await.assert_quiet();
}
