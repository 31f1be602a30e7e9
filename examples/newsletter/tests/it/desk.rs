//! A newsletter to be sent, a mail service, and a look at what became of it.

use std::{
    collections::BTreeMap,
    error::Error,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, Ordering},
    },
};

use fencepost_batch::{
    PlanRunner, StoreClock,
    faults::{Fate, Faulty},
};
use fencepost_core::{AtOnce, RandomTokens, StoreError, lease::DEFAULT_LEASE_MS, retry::Patience};
use fencepost_example_newsletter::{MailService, Newsletter};
use fencepost_sqlite::{Durability, Migration, SqliteOptions, SqliteRunner};
use rusqlite::Connection;

const SCHEMA: &str = include_str!("../../migrations/0001_newsletter.sql");
const MIGRATIONS: &[Migration] = &[Migration { name: "0001_newsletter.sql", sql: SCHEMA }];

/// Three cuts, the last of them short.
pub(crate) const SUBSCRIBERS: i64 = 250;
/// When the issues are due.
pub(crate) const DUE: i64 = 1_000;
/// After this, a lease may change hands and what was taken may be taken again.
pub(crate) const LATER: i64 = DEFAULT_LEASE_MS;

/// A database in a folder of its own, and its clock.
pub(crate) struct Desk {
    folder: tempfile::TempDir,
    clock: Arc<AtomicI64>,
}

impl Desk {
    /// With subscribers, and as many issues that are due now.
    pub(crate) fn with_issues(issues: i64) -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap(), clock: Arc::new(AtomicI64::new(DUE)) };
        desk.sql(SCHEMA);
        // As the runner would note it.
        desk.sql(
            "CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
            applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL);
            INSERT INTO d1_migrations (name) VALUES ('0001_newsletter.sql')",
        );
        desk.join(SUBSCRIBERS);
        for issue in 1..=issues {
            desk.sql(&format!(
                "INSERT INTO issues (subject, body, due_at) VALUES ('Issue {issue}', 'News.', {DUE})"
            ));
        }
        desk
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.path().join("newsletter.db")
    }

    pub(crate) fn mails(&self) -> PathBuf {
        self.folder.path().join("mails")
    }

    /// Runs statements past the runner.
    pub(crate) fn sql(&self, statements: &str) {
        Connection::open(self.database()).unwrap().execute_batch(statements).unwrap();
    }

    /// So many more subscribers.
    pub(crate) fn join(&self, count: i64) {
        self.sql(&format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
             INSERT INTO subscribers (address)
             SELECT 'reader-' || (i + (SELECT count(*) FROM subscribers)) || '@mail.example' FROM n"
        ));
    }

    /// The rows of a query, each as a text.
    pub(crate) fn rows(&self, query: &str) -> Vec<String> {
        let connection = Connection::open(self.database()).unwrap();
        let mut statement = connection.prepare(query).unwrap();
        let columns = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| {
            let values = (0..columns).map(|at| row.get::<_, rusqlite::types::Value>(at));
            Ok(format!("{:?}", values.collect::<Result<Vec<_>, _>>()?))
        };
        statement.query_map([], row).unwrap().map(Result::unwrap).collect()
    }

    /// What must not change any more once everything is done.
    pub(crate) fn lasting(&self) -> Vec<String> {
        ["issues", "issue_receipts", "deliveries"]
            .iter()
            .flat_map(|table| self.rows(&format!("SELECT * FROM {table} ORDER BY 1, 2")))
            .collect()
    }

    pub(crate) fn pass_time(&self, ms: i64) {
        self.clock.fetch_add(ms, Ordering::SeqCst);
    }

    pub(crate) async fn runner(&self) -> SqliteRunner {
        let options = SqliteOptions {
            clock: StoreClock::Manual(self.clock.clone()),
            durability: Durability::Normal,
            ..SqliteOptions::new(self.database(), MIGRATIONS)
        };
        SqliteRunner::open(options).await.unwrap()
    }

    /// How many calls an undisturbed run makes.
    pub(crate) async fn calls(issues: i64) -> u32 {
        let desk = Self::with_issues(issues);
        let runner = Faulty::new(desk.runner().await, |_| async { Fate::Answered });
        run(&runner, &Post::default()).await.unwrap();
        runner.calls()
    }

    /// Once leases and waits are over, another run does whatever is left.
    pub(crate) async fn finish(&self, post: &Post) {
        self.pass_time(LATER);
        run(self.runner().await, post).await.unwrap();
    }
}

/// Lets a worker of its own do what there is.
pub(crate) async fn run(runner: impl PlanRunner, post: &Post) -> Result<(), StoreError> {
    let patience = Patience { timer: &AtOnce, tokens: &RandomTokens };
    Newsletter::new(runner, patience, post).run().await
}

/// A mail service that keeps what it gets by its key, and takes offence at a key that comes with
/// another mail.
#[derive(Default)]
pub(crate) struct Post {
    kept: Mutex<BTreeMap<String, String>>,
    calls: Mutex<u32>,
    /// The call whose answer is lost, counted from 1; with `true`, all from there on.
    pub(crate) loses: Option<(u32, bool)>,
}

impl MailService for &Post {
    async fn send(&self, key: &str, mail: &str) -> Result<(), Box<dyn Error>> {
        let call = {
            let mut calls = self.calls.lock().unwrap();
            *calls += 1;
            *calls
        };
        let before = self.kept.lock().unwrap().insert(key.to_owned(), mail.to_owned());
        assert!(before.is_none_or(|before| before == mail), "the key {key} came with another mail");
        match self.loses {
            Some((at, on)) if call == at || (on && call > at) => Err("the connection broke off".into()),
            _ => Ok(()),
        }
    }
}

impl Post {
    /// One that loses the answer to its call `at`, or all from there on.
    pub(crate) fn losing(at: u32, from_there_on: bool) -> Self {
        Self { loses: Some((at, from_there_on)), ..Self::default() }
    }

    pub(crate) fn calls(&self) -> u32 {
        *self.calls.lock().unwrap()
    }

    /// Who got what, one line each.
    pub(crate) fn sent(&self) -> Vec<String> {
        sent(self.kept.lock().unwrap().values().map(String::as_str))
    }
}

/// Who got what by these mails, one line each.
pub(crate) fn sent<'a>(mails: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut lines = Vec::new();
    for mail in mails {
        let mail: serde_json::Value = serde_json::from_str(mail).unwrap();
        let to = mail["to"].as_array().unwrap();
        assert!(!to.is_empty(), "a mail to nobody");
        lines.extend(to.iter().map(|to| format!("{}: {}", mail["subject"], to)));
    }
    lines.sort();
    lines
}

/// Everybody got every issue, and nobody twice.
#[track_caller]
pub(crate) fn check_sent(what: &str, sent: &[String], issues: i64) {
    let of =
        |issue| (1..=SUBSCRIBERS).map(move |i| format!("\"Issue {issue}\": \"reader-{i}@mail.example\""));
    let mut expected: Vec<_> = (1..=issues).flat_map(of).collect();
    expected.sort();
    assert!(sent == expected, "{what}: {} mails instead of {}", sent.len(), expected.len());
}
