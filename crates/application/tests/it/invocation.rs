//! One invocation of a Worker: a site whose calls are limited, and may be lost.
//!
//! Calls are lost behind the meter, on the way to the database or to the photos: what was
//! sent has cost something, whether or not an answer comes back. What really went out is
//! counted there once more, by other means than the budget's.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering::SeqCst},
};

use async_trait::async_trait;
use fencepost_application::{Counters, Resolutions, RunReport, Settings, Site, Stop};
use fencepost_domain::image::ImageKey;
use fencepost_plan_store::{Metered, PlanRunner, PlanStore};
use fencepost_ports::{
    Blob, BlobError, BlobStore, Budget, FetchError, FetchedImage, ImageSource, Job, NoCache, PutOutcome,
    StoreError, Stores,
    memory::{CountingTokens, InstantTimer, MemoryBlobs, TableImages},
};
use fencepost_sql::{Batch, FailingBatch, Query};

use crate::{
    intercepted::{Fate, busy, lost, refused},
    world::World,
};

pub(crate) struct Invocation {
    pub(crate) site: Site,
    line: Line,
}

/// What lies between an invocation and the rest of the world.
#[derive(Clone)]
struct Line {
    budget: Budget,
    decide: Arc<dyn Fn(usize) -> Fate + Send + Sync>,
    attempted: Arc<AtomicUsize>,
    sent: Arc<Mutex<Vec<(&'static str, u32)>>>,
}

impl World {
    /// An invocation in which nothing gets lost.
    pub(crate) async fn invocation(&self, name: &str, budget: Budget) -> Invocation {
        self.lossy_invocation(name, budget, |_| Fate::Answered).await
    }

    /// An invocation in which the fate of each call follows from its number, counted from 0.
    pub(crate) async fn lossy_invocation(
        &self,
        name: &str,
        budget: Budget,
        decide: impl Fn(usize) -> Fate + Send + Sync + 'static,
    ) -> Invocation {
        let line = Line {
            budget: budget.clone(),
            decide: Arc::new(decide),
            attempted: Arc::default(),
            sent: Arc::default(),
        };
        let runner = Sending { line: line.clone(), runner: self.store().await.into_runner() };
        let store = PlanStore::new(Metered::new(runner, budget.clone()));
        let site = Site {
            stores: Stores::of(Arc::new(store)),
            blobs: Arc::new(Sending { line: line.clone(), runner: self.blobs.clone() }),
            image_source: Arc::new(Sending { line: line.clone(), runner: self.images.clone() }),
            cache: Arc::new(NoCache),
            tokens: Arc::new(CountingTokens::new(name)),
            timer: Arc::new(InstantTimer::new()),
            budget,
            resolutions: Resolutions::default(),
            counters: Counters::default(),
            outlet: None,
            settings: Settings::default(),
        };
        Invocation { site, line }
    }

    /// Everything that was published, each once; nothing in hand; every run at its end.
    pub(crate) async fn assert_all_published_once(&self, items: i64, case: &str) {
        let receipts = self.rows("SELECT puzzle_id, kind FROM commit_receipts ORDER BY puzzle_id").await;
        let expected: Vec<_> = (1..=items).map(|id| format!("puzzle_id={id} kind=publish")).collect();
        assert_eq!(receipts, expected, "{case}");
        let revision = self.rows("SELECT publication_revision AS n FROM site_state").await;
        assert_eq!(revision, [format!("n={items}")], "{case}");
        self.assert_nothing_in_hand(case).await;
    }

    pub(crate) async fn assert_nothing_in_hand(&self, case: &str) {
        let in_hand = "SELECT puzzle_id FROM publication_items WHERE state = 'processing'";
        assert_eq!(self.rows(in_hand).await, [""; 0], "{case}");
        let unfinished = "SELECT run_id FROM job_runs WHERE finished_at IS NULL";
        assert_eq!(self.rows(unfinished).await, [""; 0], "{case}");
    }
}

impl Invocation {
    pub(crate) async fn run(&self) -> Result<RunReport, StoreError> {
        let report = self.site.run_job(Job::Publish, &Stop::default()).await;
        assert_eq!(self.sent(), self.site.budget.spent(), "the budget has counted what was sent");
        report
    }

    /// How many calls really went out.
    pub(crate) fn sent(&self) -> u32 {
        self.calls().iter().map(|(_, count)| count).sum()
    }

    /// What went out: the name of each batch's read-back or of the query, and how many
    /// calls that was.
    pub(crate) fn calls(&self) -> Vec<(&'static str, u32)> {
        self.line.sent.lock().unwrap().clone()
    }
}

impl Line {
    fn send(&self, name: &'static str, count: u32) -> Fate {
        self.sent.lock().unwrap().push((name, count));
        (self.decide)(self.attempted.fetch_add(1, SeqCst))
    }
}

/// A part of the world behind the line.
struct Sending<R> {
    line: Line,
    runner: R,
}

#[async_trait]
impl<R: PlanRunner> PlanRunner for Sending<R> {
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError> {
        let statements = u32::try_from(batch.writes.len() + 1).unwrap();
        match self.line.send(batch.readback.statement.text().name(), statements) {
            Fate::Answered => self.runner.batch(batch).await,
            Fate::RequestLost => Err(lost()),
            Fate::AnswerLost => self.runner.batch(batch).await.and(Err(lost())),
            Fate::Refused => Err(refused()),
            Fate::Busy => Err(busy()),
            Fate::Kept => unreachable!("no call of an invocation is to be tried only"),
        }
    }

    async fn read<T: Send>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        match self.line.send(query.statement.text().name(), 1) {
            Fate::Answered => self.runner.read(query).await,
            Fate::RequestLost | Fate::AnswerLost => Err(lost()),
            Fate::Refused => Err(refused()),
            Fate::Busy => Err(busy()),
            Fate::Kept => unreachable!("no call of an invocation is to be tried only"),
        }
    }

    async fn rehearse<T: Send>(&self, batch: FailingBatch<T>) -> Result<T, StoreError> {
        let statements = u32::try_from(batch.statements().count()).unwrap();
        match self.line.send(batch.raise.text().name(), statements) {
            Fate::Answered => self.runner.rehearse(batch).await,
            Fate::RequestLost => Err(lost()),
            Fate::AnswerLost => self.runner.rehearse(batch).await.and(Err(lost())),
            Fate::Refused => Err(refused()),
            Fate::Busy => Err(busy()),
            Fate::Kept => unreachable!("no call of an invocation is to be tried only"),
        }
    }
}

/// Photos at the end of as many redirects as their address says: `…?redirects=2`. None of
/// them gets lost: a photo that does not arrive is a matter of its item, not of the budget.
#[async_trait]
impl ImageSource for Sending<Arc<TableImages>> {
    async fn fetch(&self, url: &str) -> Result<FetchedImage, FetchError> {
        let redirects = url.split_once("?redirects=").map_or(0, |(_, count)| count.parse().unwrap());
        for _ in 0..=redirects {
            self.line.budget.spend(1)?;
            self.line.send("fetch", 1);
        }
        self.runner.fetch(url).await
    }
}

/// Photos in a bucket that has to be asked whether the one that was there is the right one.
#[async_trait]
impl BlobStore for Sending<Arc<MemoryBlobs>> {
    async fn put(&self, key: &ImageKey, bytes: Vec<u8>) -> Result<PutOutcome, BlobError> {
        self.line.budget.spend(1)?;
        let fate = self.line.send("put", 1);
        if fate == Fate::RequestLost {
            return Err(BlobError::Failed("Network connection lost.".to_owned()));
        }
        let put = self.runner.put(key, bytes).await?;
        if fate == Fate::AnswerLost {
            return Err(BlobError::Failed("Network connection lost.".to_owned()));
        }
        if put == PutOutcome::AlreadyThere {
            self.line.budget.spend(1)?;
            self.line.send("head", 1);
        }
        Ok(put)
    }

    async fn get(&self, key: &ImageKey) -> Result<Option<Blob>, BlobError> {
        self.line.budget.spend(1)?;
        self.line.send("get", 1);
        self.runner.get(key).await
    }

    async fn exists(&self, key: &ImageKey) -> Result<bool, BlobError> {
        self.line.budget.spend(1)?;
        self.line.send("head", 1);
        self.runner.exists(key).await
    }

    async fn probe(&self) -> Result<(), BlobError> {
        self.line.budget.spend(3)?;
        self.line.send("probe", 3);
        self.runner.probe().await
    }
}
