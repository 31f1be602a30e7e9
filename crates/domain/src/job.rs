//! Jobs, their runs, and what a person wants to know at a glance.

use std::{collections::BTreeMap, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    catch_up::CatchUp,
    id::{Fence, OwnerId, RunId},
    lease::LeaseKey,
    outcome::Outcome,
    quota::DailyQuota,
    revision::Revision,
    time::{DAY_MS, UnixMillis, UtcDay},
};

/// How many of the newest runs tell which builds run the jobs.
pub const RECENT_RUNS: usize = 100;
/// For how long a run tells it, in milliseconds.
pub const RECENT_MS: i64 = DAY_MS;

/// The jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Job {
    /// Publishes at the end of the grace window.
    Publish,
    /// Catches up whatever is due.
    Compensate,
}

impl Job {
    /// Every job.
    pub const ALL: [Self; 2] = [Self::Publish, Self::Compensate];

    /// The word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Compensate => "compensate",
        }
    }
}

impl FromStr for Job {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|job| job.as_str() == text).ok_or(())
    }
}

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinishedRun {
    /// When, by the store's clock.
    pub finished_at: UnixMillis,
    /// The site's revision then.
    pub revision: Revision,
    /// What is left: how many items were due then and not out, had rested after a failure,
    /// and were in nobody's hands. It is what a run that began at that instant would take
    /// in hand, were it not for the quota and a pause.
    pub left: i64,
}

/// One run, as recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRun {
    /// Its name.
    pub run_id: RunId,
    /// Which job.
    pub job: Job,
    /// Under which owner.
    pub owner_id: OwnerId,
    /// By which build; `None` for one from before builds were recorded.
    pub build: Option<String>,
    /// On which UTC day.
    pub utc_day: UtcDay,
    /// When it began.
    pub started_at: UnixMillis,
    /// When it ended; `None` while it runs, and for ever when it was killed.
    pub finished_at: Option<UnixMillis>,
    /// How many items ended how.
    pub counts: BTreeMap<Outcome, u32>,
    /// What stopped it, if something did.
    pub error: Option<String>,
}

/// A run in the list of all runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedRun {
    /// Its place in the order in which the runs began, whatever the clock said then.
    pub number: i64,
    /// The run.
    #[serde(flatten)]
    pub run: JobRun,
}

/// A lease in somebody's hands at present.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldLease {
    /// What it is about.
    pub key: LeaseKey,
    /// Who holds it; begins with the name of the instance.
    pub owner_id: OwnerId,
    /// Its fencing token.
    pub fence: Fence,
    /// When it was taken, or renewed last.
    pub held_since: UnixMillis,
    /// From this instant on it may change hands.
    pub expires_at: UnixMillis,
}

/// The sign of life of a job: the newest of its runs that came to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// Which job.
    pub job: Job,
    /// When that run ended, with or without an error.
    pub ended_at: UnixMillis,
    /// Of how many items it did not learn what became of them.
    pub unknown: i64,
}

/// What alerts are made of: a part of the [`Overview`] that is cheap to read, and is read
/// often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vitals {
    /// The store's clock.
    pub now: UnixMillis,
    /// Whether the site is paused.
    pub paused: bool,
    /// Whether anything is to be published, some time.
    pub has_work: bool,
    /// Items due and not out that a job could bring out.
    pub outstanding: i64,
    /// The due instant of the one that has been outstanding for longest.
    pub outstanding_since: Option<UnixMillis>,
    /// Items due and not out that are too late for jobs, by the policy of catching up.
    pub left_alone: i64,
    /// The due instant of the oldest of them.
    pub left_alone_since: Option<UnixMillis>,
    /// Items waiting for a person.
    pub blocked: i64,
    /// The row of the current UTC day.
    pub quota: Option<DailyQuota>,
    /// Whether a run of any job ever began.
    pub has_run: bool,
    /// The sign of life of each job of which a run has ended.
    pub heartbeats: Vec<Heartbeat>,
    /// The oldest instant that anything remembers: of the first import, run or commit.
    pub known_since: Option<UnixMillis>,
}

/// A build that has run a job within the last day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentBuild {
    /// Which job.
    pub job: Job,
    /// Which build; `None` for one from before builds were recorded.
    pub build: Option<String>,
    /// When the last of its runs began.
    pub ran_at: UnixMillis,
}

/// What a person wants to know at a glance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overview {
    /// The store's clock.
    pub now: UnixMillis,
    /// Changes of published content so far.
    pub publication_revision: Revision,
    /// Imports, edits and reschedules so far.
    pub bank_revision: i64,
    /// Whether the site is paused.
    pub paused: bool,
    /// Items waiting for their instant.
    pub scheduled: i64,
    /// Items due and not out.
    pub overdue: i64,
    /// Of these, the ones that a job could bring out: all but the blocked, and what the
    /// policy of catching up leaves alone.
    pub outstanding: i64,
    /// The due instant of the one that has been outstanding for longest.
    pub outstanding_since: Option<UnixMillis>,
    /// Items due and not out that are too late for jobs, by the policy of catching up.
    pub left_alone: i64,
    /// The due instant of the oldest of them.
    pub left_alone_since: Option<UnixMillis>,
    /// Items in hand.
    pub processing: i64,
    /// Items waiting for a person.
    pub blocked: i64,
    /// Items whose page is public.
    pub published: i64,
    /// Items taken back.
    pub withdrawn: i64,
    /// The row of the current UTC day.
    pub quota: Option<DailyQuota>,
    /// What jobs do about items that are late.
    pub catch_up: CatchUp,
    /// The next instant at which something may be published.
    pub next_wake: Option<UnixMillis>,
    /// The newest run of each job.
    pub last_runs: Vec<JobRun>,
    /// The sign of life of each job of which a run has ended.
    pub heartbeats: Vec<Heartbeat>,
    /// The builds that have run each job of late, of each job the one that ran last first.
    pub recent_builds: Vec<RecentBuild>,
    /// The oldest instant that anything remembers: of the first import, run or commit.
    pub known_since: Option<UnixMillis>,
    /// The leases in somebody's hands, in the order of their keys.
    pub leases: Vec<HeldLease>,
}

impl Overview {
    /// What alerts are made of.
    pub fn vitals(&self) -> Vitals {
        Vitals {
            now: self.now,
            paused: self.paused,
            has_work: self.scheduled + self.processing > 0,
            outstanding: self.outstanding,
            outstanding_since: self.outstanding_since,
            left_alone: self.left_alone,
            left_alone_since: self.left_alone_since,
            blocked: self.blocked,
            quota: self.quota,
            has_run: !self.last_runs.is_empty(),
            heartbeats: self.heartbeats.clone(),
            known_since: self.known_since,
        }
    }
}
