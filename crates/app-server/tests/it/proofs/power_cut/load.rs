//! Clients without a pause, and what they were told.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{
    bank::{bank, row, row_with_photo},
    harness::{Dice, Place, Server, TOKEN, client},
    image_server::ImageServer,
};

/// The first play date of all, and how many days lie between it and [`TODAY`].
const FIRST_DAY: &str = "2000-01-01";
const TODAY_AT: usize = 18_263;
/// The day on which a place of [`super`] begins.
pub(super) const TODAY: &str = "2050-01-01";
const IMPORTED_AT_ONCE: usize = 3;
/// One of so many puzzles is not due when it is imported.
const ONE_WAITS_OF: usize = 5;
/// How many answers may be due before importing pauses.
const BACKLOG: usize = 20;

/// What was answered, shown or logged: all of it has to outlive whatever comes after.
#[derive(Clone, Default)]
pub(super) struct Told {
    /// Changes of published content: the site's revision, and whose page.
    pub(super) commits: BTreeSet<(i64, i64)>,
    /// Puzzles that an import reported.
    pub(super) imported: BTreeSet<i64>,
    /// Puzzles whose answer a reader was shown.
    pub(super) shown: BTreeSet<i64>,
}

impl Told {
    /// Notes what an item's report says was changed.
    fn hear(&mut self, report: &Value) {
        if let (Some(revision), Some(id)) = (report["revision"].as_i64(), report["puzzle_id"].as_i64()) {
            self.commits.insert((revision, id));
        }
    }

    /// How many of the puzzles that were due when they were imported are not known to be out.
    fn backlog(&self) -> usize {
        let out: BTreeSet<_> = self.commits.iter().map(|(_, id)| *id).collect();
        self.imported.difference(&out).filter(|id| !waits(usize::try_from(**id).unwrap())).count()
    }
}

/// A growing bank, and everything that clients do with it.
#[derive(Clone)]
pub(super) struct Load {
    dates: Arc<[String]>,
    photos: Arc<ImageServer>,
    imported: Arc<AtomicUsize>,
    told: Arc<Mutex<Told>>,
}

impl Load {
    /// Begins a bank with its first row, in a place that has no database yet.
    pub(super) async fn new(place: &Place) -> Self {
        place.import(&bank([row(1, FIRST_DAY)])).await;
        let sql = format!(
            "WITH RECURSIVE days (day, number) AS (SELECT '{FIRST_DAY}', 0 UNION ALL \
             SELECT date('{FIRST_DAY}', (number + 1) || ' days'), number + 1 FROM days WHERE number < 40000) \
             SELECT day FROM days"
        );
        let dates = place.rows(&sql).await;
        assert_eq!(dates[TODAY_AT], TODAY);
        Self {
            dates: dates.into(),
            photos: Arc::new(ImageServer::start().await),
            imported: Arc::new(AtomicUsize::new(1)),
            told: Arc::default(),
        }
    }

    /// What clients were told so far.
    pub(super) fn told(&self) -> Told {
        self.told.lock().unwrap().clone()
    }

    /// Notes what a server's log says was published.
    pub(super) fn read_log(&self, log: &str) {
        let number = |line: &str, name: &str| -> i64 {
            let (_, rest) = line.split_once(name).unwrap_or_else(|| panic!("no {name} in {line}"));
            rest.split(' ').next().unwrap().parse().unwrap()
        };
        for line in log.lines().filter(|line| line.contains("published the answer")) {
            let commit = (number(line, " revision="), number(line, " puzzle="));
            self.tell(|told| {
                told.commits.insert(commit);
            });
        }
    }

    /// Keeps a server busy until it is gone: imports, a job that is run again and again,
    /// an operator who changes pages, and a reader.
    pub(super) fn on(&self, server: &Server, seed: u64, clients: &mut JoinSet<()>) {
        let client = |dice| Client { load: self.clone(), url: server.url().to_owned(), dice };
        clients.spawn(client(Dice::seeded(seed)).import());
        clients.spawn(client(Dice::seeded(seed + 1)).publish());
        clients.spawn(client(Dice::seeded(seed + 2)).operate());
        clients.spawn(client(Dice::seeded(seed + 3)).read());
    }

    /// Most are due at once, and some on a day of their own, from today on. One of four has
    /// no photo, and some share one.
    fn row(&self, number: usize) -> Value {
        let id = i64::try_from(number).unwrap();
        let day = if waits(number) { TODAY_AT + number / ONE_WAITS_OF } else { number };
        let date = &self.dates[day];
        if number.is_multiple_of(4) {
            row(id, date)
        } else {
            row_with_photo(id, date, &self.photos.photo(&format!("{}.png", number / 3)))
        }
    }

    fn tell(&self, note: impl FnOnce(&mut Told)) {
        note(&mut self.told.lock().unwrap());
    }
}

fn waits(number: usize) -> bool {
    number.is_multiple_of(ONE_WAITS_OF)
}

/// One that asks a server, until there is no answer any more.
struct Client {
    load: Load,
    url: String,
    dice: Dice,
}

impl Client {
    /// `None` once the server is gone, and with it perhaps half an answer.
    async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Option<(StatusCode, Value)> {
        let request = client().request(method, format!("{}{path}", self.url)).bearer_auth(TOKEN);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        let response = request.send().await.ok()?;
        let (status, body) = (response.status(), response.bytes().await.ok()?);
        Some((status, serde_json::from_slice(&body).unwrap_or_default()))
    }

    /// Whether there is no server any more, a moment from now.
    async fn is_gone(&mut self) -> bool {
        self.dice.pause_below(20).await;
        self.ask(Method::GET, "/healthz", None).await.is_none()
    }

    async fn post(&self, path: &str, body: &Value) -> Option<Value> {
        let (status, answer) = self.ask(Method::POST, &format!("/admin/api{path}"), Some(body)).await?;
        // A lost race, or a database that others keep busy, is no fault and tells of nothing.
        let expected = [StatusCode::OK, StatusCode::CONFLICT, StatusCode::SERVICE_UNAVAILABLE];
        assert!(expected.contains(&status), "{path} was answered with {status}: {answer}");
        Some(if status == StatusCode::OK { answer } else { Value::Null })
    }

    async fn import(mut self) {
        loop {
            // A run on a picture has to end some time, so the backlog stays small.
            if self.load.told().backlog() > BACKLOG {
                if self.is_gone().await {
                    return;
                }
                continue;
            }
            let first = 1 + self.load.imported.fetch_add(IMPORTED_AT_ONCE, Ordering::Relaxed);
            let numbers = first..first + IMPORTED_AT_ONCE;
            let rows = bank(numbers.clone().map(|number| self.load.row(number)));
            let Some(answer) = self.post("/puzzles", &rows).await else { return };
            if !answer.is_null() {
                self.load.tell(|told| told.imported.extend(numbers.map(|id| i64::try_from(id).unwrap())));
            }
            self.dice.pause_below(60).await;
        }
    }

    async fn publish(self) {
        while let Some(report) = self.post("/jobs/publish", &json!({})).await {
            self.load.tell(|told| {
                report["items"].as_array().into_iter().flatten().for_each(|item| told.hear(item));
            });
        }
    }

    /// Withdraws, reinstates, or corrects and republishes a page that is out.
    async fn operate(mut self) {
        loop {
            let published: Vec<_> = self.load.told().commits.into_iter().collect();
            let Some(last) = published.len().checked_sub(1) else {
                if self.is_gone().await {
                    return;
                }
                continue;
            };
            let (_, id) = published[self.dice.within(0..=last)];
            let action = ["withdraw", "reinstate", "republish"][self.dice.within(0..=2)];
            if action == "republish" {
                let mut row = self.load.row(id.try_into().unwrap());
                row["description"] = format!("Corrected after {} commits.", published.len()).into();
                if self.post("/puzzles", &bank([row])).await.is_none() {
                    return;
                }
            }
            let Some(report) = self.post(&format!("/items/{id}/{action}"), &json!({})).await else { return };
            self.load.tell(|told| told.hear(&report));
        }
    }

    async fn read(mut self) {
        loop {
            let latest = self.load.imported.load(Ordering::Relaxed);
            let id = self.dice.within(latest.saturating_sub(20)..=latest);
            let Some((status, _)) = self.ask(Method::GET, &format!("/answers/{id}"), None).await else {
                return;
            };
            if status == StatusCode::OK {
                self.load.tell(|told| {
                    told.shown.insert(id.try_into().unwrap());
                });
            }
            self.dice.pause_below(10).await;
        }
    }
}
