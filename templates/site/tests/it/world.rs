//! A database with a clock that stands still, and a cache that forgets nothing.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicI64, Ordering},
};

use async_trait::async_trait;
use fencepost_batch::{Batch, PlanRunner, Query, Statement, Store, StoreClock, decode};
use fencepost_core::{
    AtOnce, RandomTokens, StoreError, TokenSource, cache_key::CacheKey, id::OwnerId, retry::Patience,
    time::UnixMillis,
};
use fencepost_site::{Cache, Post, Reply, Told, add, answer, publish_due};
use fencepost_sqlite::{Migration, SqliteOptions, SqliteRunner};
use tempfile::TempDir;

pub(crate) const MIGRATIONS: &[Migration] =
    &[Migration { name: "0001_posts.sql", sql: include_str!("../../migrations/0001_posts.sql") }];

/// When the post of most tests is due: an hour after a midnight.
pub(crate) const DUE: i64 = 20_000 * 86_400_000 + 3_600_000;

fencepost_batch::sql_texts! {
    STATE = "test/state", "\
SELECT (SELECT count(*) FROM pages) AS pages,
  (SELECT count(*) FROM receipts) AS receipts,
  s.revision
FROM site_state AS s";
    WITHOUT_EMBARGO = "test/without_embargo", "UPDATE posts SET due_at = CAST(?1 AS INTEGER)";
    SET_BACK = "test/set_back", "UPDATE site_state SET revision = revision - CAST(?1 AS INTEGER)";
}

pub(crate) struct World {
    folder: TempDir,
    clock: Arc<AtomicI64>,
    pub(crate) store: Store<SqliteRunner>,
    pub(crate) cache: Kept,
}

impl World {
    /// A site with the post `hello`, at the instant at which it is due.
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(AtomicI64::new(DUE));
        let store = open(&folder, &clock).await;
        assert!(add(&store, &hello(), UnixMillis::new(DUE)).await.unwrap());
        Self { folder, clock, store, cache: Kept::default() }
    }

    pub(crate) fn at(&self, instant: i64) -> &Self {
        self.clock.store(instant, Ordering::SeqCst);
        self
    }

    /// Another process on the same database.
    pub(crate) async fn another(&self) -> Store<SqliteRunner> {
        open(&self.folder, &self.clock).await
    }

    pub(crate) async fn run(&self) -> Vec<Told> {
        run(&self.store).await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        answer(&self.store, &self.cache, "http://site.example", path).await
    }

    /// How many pages and receipts there are, and the revision.
    pub(crate) async fn state(&self) -> (i64, i64, i64) {
        let column = |row: &dyn fencepost_batch::Row, name| decode::integer(row, name);
        let state = Query::new(&STATE, Vec::new(), move |row| {
            Ok((column(row, "pages")?, column(row, "receipts")?, column(row, "revision")?))
        });
        self.store.read_one(state).await.unwrap()
    }

    /// Moves the embargo of what may be out already, as only somebody at the database can.
    pub(crate) async fn plant_due_at(&self, instant: i64) {
        self.write(Statement::new(&WITHOUT_EMBARGO, vec![instant.into()])).await;
    }

    /// Sets the revision back by so many, as by a backup of that table alone.
    pub(crate) async fn set_back(&self, by: i64) {
        self.write(Statement::new(&SET_BACK, vec![by.into()])).await;
    }

    async fn write(&self, write: Statement) {
        let readback = Query::new(&STATE, Vec::new(), |_| Ok(()));
        self.store.batch_one(Batch { writes: vec![write], readback }).await.unwrap();
    }
}

async fn open(folder: &TempDir, clock: &Arc<AtomicI64>) -> Store<SqliteRunner> {
    let options = SqliteOptions {
        clock: StoreClock::Manual(Arc::clone(clock)),
        ..SqliteOptions::new(folder.path().join("site.db"), MIGRATIONS)
    };
    Store::new(SqliteRunner::open(options).await.unwrap())
}

pub(crate) fn hello() -> Post {
    let text = |text: &str| text.to_owned();
    Post { slug: text("hello"), title: text("Hello & welcome"), body: text("One <b>,\nand more.\n\nTwo.") }
}

pub(crate) async fn run<R: PlanRunner>(store: &Store<R>) -> Result<Vec<Told>, StoreError> {
    publish_due(store, PATIENCE, &worker(), 10).await
}

pub(crate) fn worker() -> OwnerId {
    RandomTokens.owner("test")
}

pub(crate) const PATIENCE: Patience<'static> = Patience { timer: &AtOnce, tokens: &RandomTokens };

/// A cache that forgets nothing, whatever it is told, and remembers the lifetimes.
#[derive(Default)]
pub(crate) struct Kept(Mutex<Vec<(CacheKey, String, i64)>>);

impl Kept {
    pub(crate) fn lifetimes(&self) -> Vec<i64> {
        self.0.lock().unwrap().iter().map(|(_, _, lifetime_ms)| *lifetime_ms).collect()
    }

    /// Replaces every copy, to see whether it is used.
    pub(crate) fn overwrite(&self, text: &str) {
        self.0.lock().unwrap().iter_mut().for_each(|(_, body, _)| text.clone_into(body));
    }
}

#[async_trait]
impl Cache for Kept {
    async fn get(&self, key: &CacheKey) -> Option<String> {
        let kept = self.0.lock().unwrap();
        kept.iter().rev().find(|(name, ..)| name == key).map(|(_, body, _)| body.clone())
    }

    async fn put(&self, key: &CacheKey, body: &str, lifetime_ms: i64) {
        self.0.lock().unwrap().push((key.clone(), body.to_owned(), lifetime_ms));
    }
}
