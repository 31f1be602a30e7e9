//! A world with one database and any number of workers.
//!
//! The database is a real file; photos, tokens, waits and the clock are under control.
//! Puzzle `n` is played on the `n`th day after 2026-11-01.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, atomic::AtomicI64},
};

use fencepost_adapter_sqlite::{SqliteOptions, SqliteStore, StoreClock, site_in};
use fencepost_application::{
    Address, AnswerPageView, Content, Counters, Rendering, Resolutions, RunReport, Settings, Site, Stop,
};
use fencepost_domain::{
    cache_key::CacheSpace,
    id::PuzzleId,
    image::ImageFormat,
    outcome::Outcome,
    puzzle::{ImportFile, ImportRow},
    time::{DAY_MS, PlayDate, UnixMillis, UtcDay},
};
use fencepost_ports::{
    Budget, FetchedImage, Job, NoCache, Retry, StoreError,
    memory::{CountingTokens, EternalCache, InstantTimer, ManualClock, MemoryBlobs, TableImages},
};
use sqlx::{Column, Row, SqlitePool, TypeInfo, ValueRef, sqlite::SqliteConnectOptions};
use tempfile::TempDir;

use crate::intercepted::Intercepted;

const DAY_ZERO: i64 = 20_758;
pub(crate) const GRACE_MS: i64 = 600_000;
pub(crate) const LEASE_MS: i64 = 180_000;

/// Everything of interest in the database, whole: table to rows.
pub(crate) type Tables = BTreeMap<String, Vec<String>>;

pub(crate) struct World {
    pub(crate) clock: ManualClock,
    pub(crate) images: Arc<TableImages>,
    pub(crate) blobs: Arc<MemoryBlobs>,
    pub(crate) cache: Arc<EternalCache>,
    folder: TempDir,
    database: SqlitePool,
}

/// One worker: a site of its own on the shared database.
pub(crate) struct Worker {
    pub(crate) site: Site,
    pub(crate) store: Arc<Intercepted>,
}

impl World {
    /// An empty database at the opening of puzzle 1.
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = ManualClock::new(opens(1));
        open(folder.path(), &clock).await;
        let file = SqliteConnectOptions::new().filename(folder.path().join("fencepost.db"));
        let database = SqlitePool::connect_with(file).await.unwrap();
        Self {
            clock,
            images: Arc::new(TableImages::new()),
            blobs: Arc::new(MemoryBlobs::new()),
            cache: Arc::new(EternalCache::new()),
            folder,
            database,
        }
    }

    /// The same world as far as the database goes: a copy of it, which nobody else writes.
    pub(crate) async fn copy(&self) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("fencepost.db");
        self.execute(&format!("VACUUM INTO '{}'", file.display())).await;
        let database = SqlitePool::connect_with(SqliteConnectOptions::new().filename(file)).await.unwrap();
        Self {
            clock: self.clock.clone(),
            images: self.images.clone(),
            blobs: self.blobs.clone(),
            cache: self.cache.clone(),
            folder,
            database,
        }
    }

    /// A world in which `days` puzzles with photos are imported, and all of them are due.
    pub(crate) async fn with_finished(days: i64) -> Self {
        let world = Self::new().await;
        world.import((1..=days).map(row)).await;
        world.clock.set(due(days));
        world
    }

    pub(crate) async fn worker(&self, name: &str) -> Worker {
        self.worker_with(name, Settings::default()).await
    }

    pub(crate) async fn worker_with(&self, name: &str, settings: Settings) -> Worker {
        let store = Intercepted::new(Arc::new(self.store().await));
        let site = Site {
            stores: store.stores(),
            blobs: self.blobs.clone(),
            image_source: self.images.clone(),
            cache: self.cache.clone(),
            tokens: Arc::new(CountingTokens::new(name)),
            timer: Arc::new(InstantTimer::new()),
            budget: Budget::unlimited(),
            resolutions: Resolutions::default(),
            counters: Counters::default(),
            outlet: None,
            settings,
        };
        Worker { site, store }
    }

    /// The database, opened once more.
    pub(crate) async fn store(&self) -> SqliteStore {
        open(self.folder.path(), &self.clock).await
    }

    /// Imports rows, and lets their photos be had.
    pub(crate) async fn import(&self, rows: impl IntoIterator<Item = ImportRow>) {
        let rows: Vec<_> = rows.into_iter().collect();
        for url in rows.iter().filter_map(|row| row.image_url.clone()) {
            self.images.set(url.clone(), Ok(photo(&url)));
        }
        let token = format!("keeper-{}-", self.count("bank_edits").await);
        let keeper = self.worker(&token).await;
        keeper.site.import(&editor(), ImportFile { puzzles: rows }).await.unwrap();
    }

    /// The rows of all tables, but for the heartbeat.
    pub(crate) async fn tables(&self) -> Tables {
        const TABLES: [&str; 15] = [
            "job_leases",
            "puzzles",
            "bank_edits",
            "publication_items",
            "answer_posts",
            "site_state",
            "commit_receipts",
            "daily_quotas",
            "source_images",
            "visibility_instants",
            "daily_results",
            "outbox",
            "outbox_cursor",
            "operator_actions",
            "alert_episodes",
        ];
        let mut tables = Tables::new();
        for table in TABLES {
            tables.insert(table.to_owned(), self.rows(&format!("SELECT * FROM {table} ORDER BY 1")).await);
        }
        tables
    }

    /// The rows of all tables, the heartbeat included.
    pub(crate) async fn everything(&self) -> Tables {
        let mut tables = self.tables().await;
        tables.insert("job_runs".to_owned(), self.rows("SELECT * FROM job_runs ORDER BY 1").await);
        tables
    }

    /// What readers can see, and nothing of how it came about: no tokens, fences,
    /// attempts or times.
    pub(crate) async fn public_state(&self) -> Vec<Vec<String>> {
        let queries = [
            "SELECT puzzle_id, state, due_at, blocked_reason FROM publication_items ORDER BY 1",
            "SELECT puzzle_id, content_version, bank_version, play_date, name, price_cents, body_html, image_key,
               indexable, withdrawn_at IS NULL FROM answer_posts ORDER BY 1",
            "SELECT publication_revision, bank_revision, paused FROM site_state",
            "SELECT puzzle_id, kind, content_version, revision FROM commit_receipts ORDER BY revision",
            "SELECT sum(published) FROM daily_quotas",
            "SELECT puzzle_id, image_url, state, object_key, bytes FROM source_images ORDER BY 1",
        ];
        let mut state = Vec::new();
        for query in queries {
            state.push(self.rows(query).await);
        }
        state
    }

    pub(crate) async fn rows(&self, sql: &str) -> Vec<String> {
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql.to_owned())).fetch_all(&self.database).await.unwrap();
        rows.iter().map(text).collect()
    }

    pub(crate) async fn count(&self, table: &str) -> i64 {
        let sql = format!("SELECT count(*) FROM {table}");
        sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&self.database).await.unwrap()
    }

    /// Damages or changes the database past the application.
    pub(crate) async fn execute(&self, sql: &str) {
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned())).execute(&self.database).await.unwrap();
    }
}

impl Worker {
    pub(crate) async fn run(&self, job: Job) -> RunReport {
        self.site.run_job(job, &Stop::default()).await.unwrap()
    }

    /// What a reader finds at the answer of puzzle `n`.
    pub(crate) async fn answer(&self, n: i64) -> String {
        shown(&self.site, &Address::Answer(id(n))).await
    }

    /// What is to be shown at an address, whatever the cache has.
    pub(crate) async fn content(&self, address: Address) -> Result<Content, StoreError> {
        let site = Site { cache: Arc::new(NoCache), ..self.site.clone() };
        let mut shown = None;
        let render = |content: Content| {
            shown = Some(content.clone());
            spell_out(content)
        };
        site.serve_page(&space(), &address, render).await?;
        Ok(shown.expect("without a cache, every page is made anew"))
    }

    /// Nothing may be half published.
    pub(crate) async fn assert_sound(&self) {
        assert_eq!(self.site.verify().await, Ok(Vec::new()));
    }
}

/// What a reader finds at an address: its content, spelled out.
pub(crate) async fn shown(site: &Site, address: &Address) -> String {
    let served = site.serve_page(&space(), address, spell_out).await.unwrap();
    String::from_utf8(served.reply.body.to_vec()).unwrap()
}

/// Whose answers these are.
pub(crate) fn space() -> CacheSpace {
    CacheSpace::new("test", None, "1")
}

/// A rendering that hides nothing.
pub(crate) fn spell_out(content: Content) -> Rendering {
    let retry = match &content {
        Content::Answer { view: AnswerPageView::NotYet { due_at }, .. } => Some(Retry::At(*due_at)),
        _ => None,
    };
    Rendering {
        status: 200,
        content_type: "text/plain",
        tag: None,
        indexable: true,
        retry,
        body: format!("{content:?}").into(),
    }
}

pub(crate) fn outcomes(report: &RunReport) -> Vec<Outcome> {
    report.items.iter().map(|item| item.outcome).collect()
}

async fn open(folder: &Path, clock: &ManualClock) -> SqliteStore {
    let cell: Arc<AtomicI64> = clock.shared();
    let options = SqliteOptions { clock: StoreClock::Manual(cell), ..site_in(folder.join("fencepost.db")) };
    fencepost_adapter_sqlite::open(options).await.unwrap()
}

fn text(row: &sqlx::sqlite::SqliteRow) -> String {
    let value = |at: usize| {
        let raw = row.try_get_raw(at).unwrap();
        match (raw.is_null(), raw.type_info().name()) {
            (true, _) => "NULL".to_owned(),
            (_, "INTEGER") => row.get::<i64, _>(at).to_string(),
            _ => row.get::<String, _>(at),
        }
    };
    let columns = row.columns().iter().map(|column| format!("{}={}", column.name(), value(column.ordinal())));
    columns.collect::<Vec<_>>().join(" ")
}

pub(crate) fn id(n: i64) -> PuzzleId {
    PuzzleId::try_from(n).unwrap()
}

pub(crate) fn opens(n: i64) -> UnixMillis {
    UtcDay::new(DAY_ZERO + n).start()
}

/// The instant at which the answer of puzzle `n` is due.
pub(crate) fn due(n: i64) -> UnixMillis {
    opens(n).plus(DAY_MS + GRACE_MS)
}

/// Puzzle `n`, with a photo of its own.
pub(crate) fn row(n: i64) -> ImportRow {
    ImportRow {
        id: n,
        play_date: PlayDate::from_utc_day(UtcDay::new(DAY_ZERO + n)).unwrap().to_string(),
        name: format!("Item {n}"),
        price_cents: 100 * n,
        description: format!("About *item {n}*."),
        image_url: Some(url(n)),
        expected_version: None,
    }
}

pub(crate) fn url(n: i64) -> String {
    format!("https://photos.example/{n}.jpg")
}

/// A photo whose bytes follow from its address.
pub(crate) fn photo(url: &str) -> FetchedImage {
    FetchedImage { bytes: format!("photo at {url}").into_bytes(), format: ImageFormat::Jpeg }
}

/// Somebody who acts.
pub(crate) fn editor() -> fencepost_domain::action::Actor {
    fencepost_domain::action::Actor::new("Ada", Some("a test")).unwrap()
}
