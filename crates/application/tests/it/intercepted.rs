//! A store whose calls can be lost on the way there or on the way back, and before
//! which something else can happen. Behind it stands the real one.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use fencepost_adapter_sqlite::SqliteStore;
use fencepost_domain::{
    action::{Actor, Entry},
    catch_up::CatchUp,
    commit::{Commit, CommitOutcome, CommitReadback},
    id::{CommitToken, OwnerId, PuzzleId, RunId},
    image::SourceImage,
    lease::{Lease, LeaseKey, LeaseRow},
    ledger::{Ending, Item},
    outcome::Outcome,
    puzzle::Puzzle,
    quota::DailyQuota,
    rehearsal::Rehearsal,
    retention::Pruning,
    time::{PlayDate, UnixMillis},
};
use fencepost_ports::{
    BankEdit, Begin, CommitTrace, FinishedRun, ImagePreflight, ImageRecord, ImportReadback, ItemDetail,
    ItemSummary, Job, JobRuns, LeaseStore, LoggedRun, Overview, Position, Preflight, PublicationLedger,
    PuzzleBank, Rescheduled, Runnable, SourceImages, StoreError, StoreErrorKind, Stores, Wake,
};

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is answered.
    Answered,
    /// It never arrives.
    RequestLost,
    /// It is carried out, and the answer never arrives.
    AnswerLost,
    /// It is definitely refused.
    Refused,
    /// The store is busy, and does not begin.
    Busy,
    /// It is carried out, and what was only to be tried is not undone.
    Kept,
}

/// How a call ends that the store has no time for.
pub(crate) fn busy() -> StoreError {
    StoreError::new(StoreErrorKind::Busy, "overloaded")
}

/// How a lost call ends.
pub(crate) fn lost() -> StoreError {
    StoreError::unknown("Network connection lost.")
}

/// How a refused call ends.
pub(crate) fn refused() -> StoreError {
    StoreError::refused("no such column: it")
}

type Decide = Box<dyn FnMut(&'static str, usize) -> Fate + Send>;
type Interlude = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A store with a script.
pub(crate) struct Intercepted {
    inner: Arc<SqliteStore>,
    script: Mutex<Script>,
}

struct Script {
    decide: Decide,
    interludes: BTreeMap<&'static str, Interlude>,
    calls: Vec<&'static str>,
    commits: Vec<Commit>,
}

impl Intercepted {
    pub(crate) fn new(inner: Arc<SqliteStore>) -> Arc<Self> {
        let script = Script {
            decide: Box::new(|_, _| Fate::Answered),
            interludes: BTreeMap::new(),
            calls: Vec::new(),
            commits: Vec::new(),
        };
        Arc::new(Self { inner, script: Mutex::new(script) })
    }

    /// The ports: the calls of a job go through the script, the others do not.
    pub(crate) fn stores(self: &Arc<Self>) -> Stores {
        Stores {
            leases: self.clone(),
            ledger: self.clone(),
            bank: self.clone(),
            images: self.clone(),
            runs: self.clone(),
            ..Stores::of(self.inner.clone())
        }
    }

    /// Decides the fate of each call from its name and its number, counted from 0.
    pub(crate) fn decide(&self, decide: impl FnMut(&'static str, usize) -> Fate + Send + 'static) {
        self.script.lock().unwrap().decide = Box::new(decide);
    }

    /// Lets something happen once, right before the next call of this name.
    pub(crate) fn before(&self, call: &'static str, interlude: impl Future<Output = ()> + Send + 'static) {
        self.script.lock().unwrap().interludes.insert(call, Box::pin(interlude));
    }

    /// Lets an attempt arrive that was only slow, past the script. It has to land.
    pub(crate) async fn commit_directly(&self, commit: &Commit) {
        let outcome = self.inner.commit(commit).await.unwrap().judge();
        assert!(matches!(outcome, CommitOutcome::Landed { .. }), "{outcome:?}");
    }

    /// The names of all calls so far.
    pub(crate) fn calls(&self) -> Vec<&'static str> {
        self.script.lock().unwrap().calls.clone()
    }

    /// All commits that were attempted so far.
    pub(crate) fn commits(&self) -> Vec<Commit> {
        self.script.lock().unwrap().commits.clone()
    }

    async fn call<T, F>(&self, name: &'static str, call: F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>> + Send,
    {
        let interlude = self.script.lock().unwrap().interludes.remove(name);
        if let Some(interlude) = interlude {
            interlude.await;
        }
        let fate = {
            let script = &mut *self.script.lock().unwrap();
            let number = script.calls.len();
            script.calls.push(name);
            (script.decide)(name, number)
        };
        match fate {
            Fate::Answered => call.await,
            Fate::RequestLost => Err(lost()),
            Fate::Refused => Err(refused()),
            Fate::Busy => Err(busy()),
            Fate::Kept => Err(StoreError::new(StoreErrorKind::NotUndone, "nothing was raised")),
            Fate::AnswerLost => {
                call.await?;
                Err(lost())
            }
        }
    }
}

#[async_trait]
impl LeaseStore for Intercepted {
    async fn claim(&self, key: LeaseKey, owner: &OwnerId, ttl_ms: i64) -> Result<LeaseRow, StoreError> {
        self.call("claim", self.inner.claim(key, owner, ttl_ms)).await
    }

    async fn take_over(&self, key: LeaseKey, owner: &OwnerId, ttl_ms: i64) -> Result<LeaseRow, StoreError> {
        self.call("take_over_lease", LeaseStore::take_over(&*self.inner, key, owner, ttl_ms)).await
    }

    async fn renew(&self, lease: &Lease, ttl_ms: i64) -> Result<Option<Lease>, StoreError> {
        self.call("renew", self.inner.renew(lease, ttl_ms)).await
    }

    async fn release(&self, lease: &Lease) -> Result<Option<LeaseRow>, StoreError> {
        self.call("release", self.inner.release(lease)).await
    }
}

#[async_trait]
impl PublicationLedger for Intercepted {
    async fn runnable(&self, after: Option<Position>, limit: u32) -> Result<Runnable, StoreError> {
        self.call("runnable", self.inner.runnable(after, limit)).await
    }

    async fn next_wake(&self, daily_quota: i64) -> Result<Wake, StoreError> {
        self.call("next_wake", self.inner.next_wake(daily_quota)).await
    }

    async fn begin(&self, begin: &Begin) -> Result<Preflight, StoreError> {
        self.call("begin", PublicationLedger::begin(&*self.inner, begin)).await
    }

    async fn look(&self, puzzle: PuzzleId) -> Result<Preflight, StoreError> {
        self.call("look", self.inner.look(puzzle)).await
    }

    async fn rehearse(&self, rehearsal: &Rehearsal) -> Result<CommitReadback, StoreError> {
        self.call("rehearse", self.inner.rehearse(rehearsal)).await
    }

    async fn take_over(&self, begin: &Begin) -> Result<Preflight, StoreError> {
        self.call("take_over", PublicationLedger::take_over(&*self.inner, begin)).await
    }

    async fn commit(&self, commit: &Commit) -> Result<CommitReadback, StoreError> {
        self.script.lock().unwrap().commits.push(commit.clone());
        self.call("commit", self.inner.commit(commit)).await
    }

    async fn trace(&self, puzzle: PuzzleId, tokens: &[CommitToken]) -> Result<CommitTrace, StoreError> {
        self.call("trace", self.inner.trace(puzzle, tokens)).await
    }

    async fn finish(&self, lease: &Lease, ending: &Ending) -> Result<Option<Item>, StoreError> {
        self.call("finish", PublicationLedger::finish(&*self.inner, lease, ending)).await
    }

    async fn withdraw_unpublished(&self, lease: &Lease, entry: &Entry) -> Result<Option<Item>, StoreError> {
        self.call("withdraw_unpublished", self.inner.withdraw_unpublished(lease, entry)).await
    }

    async fn reinstate_unpublished(&self, lease: &Lease, entry: &Entry) -> Result<Option<Item>, StoreError> {
        self.call("reinstate_unpublished", self.inner.reinstate_unpublished(lease, entry)).await
    }

    async fn retry(&self, puzzle: PuzzleId, entry: &Entry) -> Result<Option<Item>, StoreError> {
        self.call("retry", self.inner.retry(puzzle, entry)).await
    }

    async fn reschedule(
        &self,
        puzzle: PuzzleId,
        due_at: UnixMillis,
        expected: Option<UnixMillis>,
        entry: &Entry,
    ) -> Result<Rescheduled, StoreError> {
        self.call("reschedule", self.inner.reschedule(puzzle, due_at, expected, entry)).await
    }

    async fn set_paused(&self, paused: bool, entry: &Entry) -> Result<(), StoreError> {
        self.call("set_paused", self.inner.set_paused(paused, entry)).await
    }

    async fn set_quota(
        &self,
        quota: Option<i64>,
        expected: Option<Option<i64>>,
        entry: &Entry,
    ) -> Result<Option<DailyQuota>, StoreError> {
        self.call("set_quota", self.inner.set_quota(quota, expected, entry)).await
    }

    async fn set_catch_up(
        &self,
        policy: CatchUp,
        expected: Option<CatchUp>,
        entry: &Entry,
    ) -> Result<CatchUp, StoreError> {
        self.call("set_catch_up", self.inner.set_catch_up(policy, expected, entry)).await
    }

    async fn items(&self, before: Option<PlayDate>, limit: u32) -> Result<Vec<ItemSummary>, StoreError> {
        self.call("items", self.inner.items(before, limit)).await
    }

    async fn later_items(&self, after: PlayDate, limit: u32) -> Result<Vec<ItemSummary>, StoreError> {
        self.call("later_items", self.inner.later_items(after, limit)).await
    }

    async fn item(&self, puzzle: PuzzleId) -> Result<Option<ItemDetail>, StoreError> {
        self.call("item", self.inner.item(puzzle)).await
    }
}

#[async_trait]
impl PuzzleBank for Intercepted {
    async fn import(&self, edit: &BankEdit) -> Result<ImportReadback, StoreError> {
        self.call("import", self.inner.import(edit)).await
    }

    async fn stored(&self, puzzles: &[PuzzleId]) -> Result<Vec<Puzzle>, StoreError> {
        self.call("stored", self.inner.stored(puzzles)).await
    }

    async fn trace_import(&self, token: &CommitToken) -> Result<Option<ImportReadback>, StoreError> {
        self.call("trace_import", self.inner.trace_import(token)).await
    }
}

#[async_trait]
impl SourceImages for Intercepted {
    async fn unprepared(&self, lead_ms: i64, limit: u32) -> Result<Vec<PuzzleId>, StoreError> {
        self.call("unprepared", self.inner.unprepared(lead_ms, limit)).await
    }

    async fn begin(
        &self,
        puzzle: PuzzleId,
        owner: &OwnerId,
        ttl_ms: i64,
    ) -> Result<ImagePreflight, StoreError> {
        self.call("begin_image", SourceImages::begin(&*self.inner, puzzle, owner, ttl_ms)).await
    }

    async fn record(&self, lease: &Lease, record: &ImageRecord) -> Result<Option<SourceImage>, StoreError> {
        self.call("record_image", self.inner.record(lease, record)).await
    }
}

#[async_trait]
impl JobRuns for Intercepted {
    async fn start<'a>(
        &self,
        run_id: &RunId,
        job: Job,
        owner: &OwnerId,
        build: &str,
        by: Option<&'a Actor>,
    ) -> Result<UnixMillis, StoreError> {
        self.call("start_run", self.inner.start(run_id, job, owner, build, by)).await
    }

    async fn finish(
        &self,
        run_id: &RunId,
        counts: &BTreeMap<Outcome, u32>,
        error: Option<&'static str>,
        pruning: Option<Pruning>,
    ) -> Result<FinishedRun, StoreError> {
        self.call("finish_run", JobRuns::finish(&*self.inner, run_id, counts, error, pruning)).await
    }

    async fn runs(&self, before: Option<i64>, limit: u32) -> Result<Vec<LoggedRun>, StoreError> {
        self.call("runs", self.inner.runs(before, limit)).await
    }

    async fn runs_of(&self, owners: &[OwnerId]) -> Result<Vec<LoggedRun>, StoreError> {
        self.call("runs_of", self.inner.runs_of(owners)).await
    }

    async fn overview(&self, daily_quota: i64) -> Result<Overview, StoreError> {
        self.call("overview", self.inner.overview(daily_quota)).await
    }
}
