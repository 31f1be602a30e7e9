//! A site of a given size, as if it had been run for long.
//!
//! Its past is planted by SQL, since publishing a million pages one by one takes longer than
//! anybody wants to wait for a figure; `verify` finds nothing to complain of in it. Beside the
//! past there is always the same: the puzzle of today, and [`FRESH`] items that are due and
//! not out. What a measurement does, it does to these, and [`Stock::restore`] undoes it. So
//! a site stays as large as it is, however long it is measured.
//!
//! Dates of play are unique, and there are not a million of them. The newest [`DATED`] pages
//! of the past have real ones, and those before them a text that sorts before every date.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use fencepost_adapter_native::{DiskBlobs, FetchPolicy, HttpImages};
use fencepost_adapter_sqlite::{Durability, SqliteOptions, SqliteStore, site_in};
use fencepost_application::{Counters, Resolutions, Settings, Site};
use fencepost_core::RandomTokens;
use fencepost_domain::{
    id::{OwnerId, PuzzleId},
    lease::{DEFAULT_LEASE_MS, LeaseKey},
};
use fencepost_plan_store::PlanStore;
use fencepost_ports::{Begin, Budget, NoCache, StoreCounts, Stores};
use fencepost_sqlite::TokioTimer;
use rusqlite::{Connection, named_params, params};

use crate::{
    bare::{Bare, BareStore},
    figures::float,
    report::number,
};

/// What survives a power failure, and what it is called.
pub(crate) const LEVELS: [(Durability, &str); 2] =
    [(Durability::Full, "FULL"), (Durability::Normal, "NORMAL")];

/// How many items are due and not out.
pub(crate) const FRESH: i64 = 50;

/// How many pages of the past have a real date.
const DATED: i64 = 9_000;
/// How many days lie between them and today: those of the fresh items, and some.
const GAP: i64 = 100;
/// At most how many items are yet to come.
const COMING: i64 = 50_000;
/// The numbers of puzzles: of those to come, of today's, of the fresh ones, and of those that
/// a measurement imports.
const FIRST_COMING: i64 = 2_000_000;
const TODAY: i64 = 3_000_000;
const FIRST_FRESH: i64 = 10_000_000;
const FIRST_IMPORTED: i64 = 20_000_000;
/// How many leases a measurement may take for keys of its own.
const KEYS: i64 = 1_000;
/// How many events at most wait to be delivered.
pub(crate) const PENDING: i64 = 10;
/// Results of today are as many as pages of the past, up to here: there is room for 50,000.
const RESULTS: i64 = 40_000;

/// How much of a site there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What publishing needs.
    Ledger,
    /// All tables, each about as long as the ledger.
    Whole,
}

/// A site in a file.
pub(crate) struct Stock {
    path: PathBuf,
    keeper: Connection,
    size: i64,
    /// The results of today's puzzle, and the last rows of what only ever grows.
    results: i64,
    last: [i64; APPENDED.len()],
}

/// Tables to whose end rows are appended.
const APPENDED: [&str; 4] = ["job_runs", "bank_edits", "operator_actions", "alert_episodes"];

impl Stock {
    /// Plants a site with so many pages of the past.
    pub(crate) async fn plant(folder: &Path, size: i64, extent: Extent) -> anyhow::Result<Self> {
        let path = folder.join(format!("{size}.db"));
        open(&path, Durability::Normal, StoreCounts::default()).await?.runner().close().await;
        let keeper = Connection::open(&path)?;
        keeper.execute_batch(
            "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN",
        )?;
        let past = format!(
            "CREATE TEMP TABLE past AS
             WITH RECURSIVE
               numbers (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM numbers WHERE id < :size),
               days (id, day) AS (
                 SELECT id, iif(:size - id < {DATED}, unixepoch() / 86400 - {GAP} - (:size - id), NULL)
                 FROM numbers)
             SELECT id, 'commit-' || printf('%010d', id) AS token,
               coalesce(date(day * 86400, 'unixepoch'), printf('%010d', id)) AS play_date,
               coalesce(day * 86400000, id * 100000) AS opens_at,
               coalesce((day + 1) * 86400000 + 600000, id * 100000 + 50000) AS due_at,
               coalesce((day + 1) * 86400000 + 601000, id * 100000 + 60000) AS committed_at,
               iif(id % 2, printf('%064x', id) || '.jpg', NULL) AS image_key,
               iif(id % 2, 'https://photos.example.org/' || id || '.jpg', NULL) AS image_url
             FROM days"
        );
        keeper.execute(&past, named_params! { ":size": size })?;
        keeper.execute_batch(LEDGER)?;
        for (first, count, day) in [(FIRST_COMING, (size / 10).min(COMING), 1), (TODAY, 1, 0)] {
            keeper.execute_batch(&waiting(first, count, day))?;
        }
        keeper.execute_batch(&waiting(FIRST_FRESH, FRESH, -FRESH - 5))?;
        let mut results = 0;
        if extent == Extent::Whole {
            keeper.execute_batch(&everything_else())?;
            results = size.min(RESULTS);
            plant_results(&keeper, TODAY, results)?;
        }
        keeper.execute_batch(
            "DROP TABLE past; COMMIT; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
        )?;
        let mut last = [0; APPENDED.len()];
        for (last, table) in last.iter_mut().zip(APPENDED) {
            let sql = format!("SELECT coalesce(max(rowid), 0) FROM {table}");
            *last = keeper.query_row(&sql, [], |row| row.get(0))?;
        }
        let stock = Self { path, keeper, size, results, last };
        stock.restore()?;
        Ok(stock)
    }

    /// Gives a puzzle of the past, or today's, so many results.
    pub(crate) fn give_results(&mut self, puzzle: PuzzleId, count: i64) -> anyhow::Result<()> {
        plant_results(&self.keeper, puzzle.get(), count)?;
        if puzzle == today()? {
            self.results = count;
        }
        Ok(())
    }

    /// The name of a case on it.
    pub(crate) fn case(&self, what: &str) -> String {
        format!("{what}, {} items", number(float(self.size)))
    }

    /// How many pages of the past there are.
    pub(crate) const fn size(&self) -> i64 {
        self.size
    }

    /// How many results today's puzzle has.
    pub(crate) const fn results(&self) -> i64 {
        self.results
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The product's own store on it.
    pub(crate) async fn store(
        &self,
        durability: Durability,
        counts: &StoreCounts,
    ) -> anyhow::Result<Arc<SqliteStore>> {
        Ok(Arc::new(open(&self.path, durability, counts.clone()).await?))
    }

    /// A store on it that is nothing but SQLite.
    pub(crate) fn bare(&self, durability: Durability) -> anyhow::Result<Arc<BareStore>> {
        Ok(Arc::new(PlanStore::new(Bare::open(&self.path, durability)?)))
    }

    /// Undoes what was done since it was planted, and leaves nothing in the write-ahead log
    /// that whoever is measured next would have to carry over.
    pub(crate) fn restore(&self) -> anyhow::Result<()> {
        let key_range = |kind: &str, first: i64, count: i64| {
            format!("key BETWEEN '{kind}:{first}' AND '{kind}:{}'", first + count - 1)
        };
        let appended = APPENDED
            .iter()
            .zip(self.last)
            .map(|(table, last)| format!("DELETE FROM {table} WHERE rowid > {last};\n"));
        self.keeper.execute_batch(&format!(
            "BEGIN IMMEDIATE;
             DELETE FROM answer_posts WHERE puzzle_id >= {FIRST_FRESH};
             DELETE FROM commit_receipts WHERE puzzle_id >= {FIRST_FRESH};
             DELETE FROM publication_items WHERE puzzle_id >= {FIRST_IMPORTED};
             DELETE FROM puzzles WHERE puzzle_id >= {FIRST_IMPORTED};
             UPDATE publication_items SET state = 'scheduled', attempts = 0, next_attempt_at = 0, blocked_reason = NULL
             WHERE puzzle_id >= {FIRST_FRESH};
             DELETE FROM job_leases WHERE {publication} OR {image};
             DELETE FROM daily_quotas WHERE utc_day >= unixepoch() / 86400 - 1;
             DELETE FROM daily_results WHERE puzzle_id = {TODAY} AND slot > {results};
             UPDATE outbox SET claimed_by = NULL, claimed_until = 0, attempts = 0, next_attempt_at = created_at
             WHERE claimed_by IS NOT NULL;
             UPDATE site_state SET publication_revision = {size}, bank_revision = 0;
             {appended}
             COMMIT;",
            publication = key_range("publication", FIRST_FRESH, FRESH),
            image = key_range("image", FIRST_FRESH, KEYS),
            results = self.results,
            size = self.size,
            appended = appended.collect::<String>(),
        ))?;
        let busy: i64 = self.keeper.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        anyhow::ensure!(busy == 0, "somebody still reads {}", self.path.display());
        Ok(())
    }
}

async fn open(path: &Path, durability: Durability, counts: StoreCounts) -> anyhow::Result<SqliteStore> {
    let options = SqliteOptions { durability, counts, ..site_in(path) };
    fencepost_adapter_sqlite::open(options).await.context("a planted site can be opened")
}

/// A site on a store, without a cache and with a folder of its own for photos.
pub(crate) fn site_of(stores: Stores, folder: &Path) -> anyhow::Result<Site> {
    Ok(Site {
        stores,
        blobs: Arc::new(DiskBlobs::open(folder.join("photos"))?),
        image_source: Arc::new(HttpImages::new(FetchPolicy::default())),
        cache: Arc::new(NoCache),
        tokens: Arc::new(RandomTokens),
        timer: Arc::new(TokioTimer),
        budget: Budget::unlimited(),
        resolutions: Resolutions::default(),
        counters: Counters::default(),
        outlet: None,
        settings: Settings { daily_quota: 1_000_000, ..Settings::default() },
    })
}

/// The claim of one of the items that are due and not out.
pub(crate) fn fresh(nth: i64) -> anyhow::Result<Begin> {
    anyhow::ensure!(nth < FRESH, "but {FRESH} items are due");
    Ok(Begin {
        puzzle_id: PuzzleId::try_from(FIRST_FRESH + nth)?,
        owner: OwnerId::new("bench"),
        ttl_ms: DEFAULT_LEASE_MS,
        by_hand: false,
    })
}

/// A key that nobody has claimed yet, one of [`KEYS`].
pub(crate) fn key(nth: i64) -> anyhow::Result<LeaseKey> {
    anyhow::ensure!(nth < KEYS, "there are but {KEYS} keys");
    Ok(LeaseKey::Image(PuzzleId::try_from(FIRST_FRESH + nth)?))
}

/// The puzzle that is played today.
pub(crate) fn today() -> anyhow::Result<PuzzleId> {
    Ok(PuzzleId::try_from(TODAY)?)
}

/// A puzzle that is to be imported.
pub(crate) fn imported(nth: i64) -> anyhow::Result<PuzzleId> {
    Ok(PuzzleId::try_from(FIRST_IMPORTED + nth)?)
}

/// The text of a puzzle that is published: about 1.3 kB of Markdown.
pub(crate) fn description() -> String {
    "A thing that is *well made*, and measured with some care. ".repeat(22)
}

fn plant_results(connection: &Connection, puzzle: i64, count: i64) -> anyhow::Result<()> {
    connection.execute(
        "WITH RECURSIVE slots (slot) AS (SELECT 1 UNION ALL SELECT slot + 1 FROM slots WHERE slot < ?2)
         INSERT INTO daily_results (puzzle_id, session_id, slot, outcome, guesses_used, created_at,
           won_with_1, won_with_2, won_with_3, won_with_4, won_with_5, won_with_6)
         SELECT ?1, printf('planted-session-%05d', slot), slot, 'won', 3, 0, 0, 0, slot, 0, 0, 0
         FROM slots
         WHERE slot <= ?2",
        params![puzzle, count],
    )?;
    Ok(())
}

/// Puzzles that are not out, a day each, from so many days after today on.
fn waiting(first: i64, count: i64, day: i64) -> String {
    let body = description();
    format!(
        "CREATE TEMP TABLE waiting AS
         WITH RECURSIVE numbers (nth) AS (SELECT 0 UNION ALL SELECT nth + 1 FROM numbers WHERE nth + 1 < {count})
         SELECT {first} + nth AS id, unixepoch() / 86400 + {day} + nth AS day FROM numbers WHERE nth < {count};
         INSERT INTO puzzles (puzzle_id, play_date, opens_at, playable_until, name, price_cents, description,
           bank_version, edit_token)
         SELECT id, date(day * 86400, 'unixepoch'), day * 86400000, (day + 1) * 86400000 + 600000,
           'Thing ' || id, 1000, '{body}', 1, 'planted'
         FROM waiting;
         INSERT INTO publication_items (puzzle_id, state, due_at)
         SELECT id, 'scheduled', (day + 1) * 86400000 + 600000 FROM waiting;
         INSERT OR IGNORE INTO visibility_instants (instant)
         SELECT day * 86400000 FROM waiting UNION SELECT (day + 1) * 86400000 + 600000 FROM waiting;
         DROP TABLE waiting;"
    )
}

/// What was published.
const LEDGER: &str = "
INSERT INTO puzzles (puzzle_id, play_date, opens_at, playable_until, name, price_cents, description, image_url,
  bank_version, edit_token)
SELECT id, play_date, opens_at, due_at, 'Thing ' || id, 1000, 'A thing of the past.', image_url, 1, 'planted'
FROM past;
INSERT INTO publication_items (puzzle_id, state, due_at)
SELECT id, 'published', due_at FROM past;
INSERT INTO answer_posts (puzzle_id, content_version, commit_token, bank_version, play_date, name, price_cents,
  body_html, image_key, indexable, published_at, updated_at)
SELECT id, 1, token, 1, play_date, 'Thing ' || id, 1000, '<p>A thing of the past.</p>', image_key,
  image_key IS NOT NULL, committed_at, committed_at
FROM past;
INSERT INTO commit_receipts (commit_token, puzzle_id, kind, owner_id, fence, content_version, revision, committed_at)
SELECT token, id, 'publish', 'planted', 1, 1, id, committed_at FROM past;
INSERT INTO job_leases (key, owner_id, fence, expires_at, updated_at)
SELECT 'publication:' || id, 'planted', 1, 0, committed_at FROM past ORDER BY 1;
INSERT OR IGNORE INTO visibility_instants (instant)
SELECT opens_at FROM past UNION SELECT due_at FROM past;
INSERT INTO daily_quotas (utc_day, published, quota)
SELECT committed_at / 86400000, count(*), 1000000 FROM past GROUP BY 1;
INSERT INTO source_images (puzzle_id, image_url, state, object_key, content_type, bytes, updated_at)
SELECT id, image_url, 'ready', image_key, 'image/jpeg', 1000, committed_at FROM past WHERE image_key IS NOT NULL;
";

/// What a site has besides: results, runs, imports, actions, events, alerts that are over.
fn everything_else() -> String {
    format!(
        "
CREATE TEMP TABLE lately AS
SELECT id, unixepoch() * 1000 - 3600000 - ((SELECT max(id) FROM past) - id) * 100 AS at FROM past;
INSERT INTO daily_results (puzzle_id, session_id, slot, outcome, guesses_used, created_at,
  won_with_1, won_with_2, won_with_3, won_with_4, won_with_5, won_with_6)
SELECT id, 'planted-session-00001', 1, 'won', 3, opens_at, 0, 0, 1, 0, 0, 0 FROM past;
INSERT INTO job_runs (run_id, job, owner_id, utc_day, started_at, finished_at, build)
SELECT 'planted-' || printf('%010d', id), iif(id % 2, 'publish', 'compensate'), 'planted-' || printf('%010d', id),
  at / 86400000, at, at + 10, 'planted'
FROM lately;
INSERT INTO bank_edits (edit_token, inserted, updated, unchanged, edited_at)
SELECT 'planted-' || printf('%010d', id), 1, 0, 0, at FROM lately;
INSERT INTO operator_actions (token, at, actor, action, puzzle_id, detail, landing)
SELECT 'planted-' || printf('%010d', id), at, 'planter', 'import', id, '{{}}', 0 FROM lately;
INSERT INTO alert_episodes (kind, count, meaning, remedy, raised_at, raised_by, calm_since, cleared_at, cleared_by)
SELECT 'overdue', 1, 'late', 'look', at, 'planted-' || printf('%010d', id), at + 1, at + 2,
  'planted-' || printf('%010d', id)
FROM lately;
INSERT INTO outbox (number, event_id, kind, puzzle_id, content_version, revision, happened_at, created_at, state,
  attempts, next_attempt_at, delivered_at)
SELECT p.id, 'publish-' || p.id || '-v1', 'published', p.id, 1, p.id, p.committed_at, l.at,
  iif(p.id + {PENDING} > (SELECT max(id) FROM past), 'pending', 'delivered'), 1, l.at,
  iif(p.id + {PENDING} > (SELECT max(id) FROM past), NULL, l.at)
FROM past AS p
JOIN lately AS l ON l.id = p.id;
INSERT INTO outbox_cursor (id, revision) SELECT 1, max(id) FROM past;
DROP TABLE lately;
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_planted_site_is_sound_and_is_so_again_after_a_run() {
        let folder = tempfile::tempdir().unwrap();
        let stock = Stock::plant(folder.path(), 100, Extent::Whole).await.unwrap();
        let store = stock.store(Durability::Normal, &StoreCounts::default()).await.unwrap();
        let site = site_of(Stores::of(store), folder.path()).unwrap();
        assert_eq!(site.verify_without_photos().await.unwrap(), []);

        for _ in 0..2 {
            let ran =
                site.run_job(fencepost_ports::Job::Publish, &fencepost_application::Stop::default()).await;
            let published = ran.unwrap().items.len();
            assert_eq!(i64::try_from(published), Ok(FRESH));
            assert_eq!(site.verify_without_photos().await.unwrap(), []);
            stock.restore().unwrap();
            assert_eq!(site.verify_without_photos().await.unwrap(), []);
        }
    }
}
