//! What use cases tell: the same report on the command line, in the API and in the log.

use std::collections::BTreeMap;

use fencepost_domain::{
    guard::Predicate,
    id::{ContentVersion, PuzzleId, RunId},
    outcome::Outcome,
    resolution::Resolution,
    revision::Revision,
    time::{UnixMillis, UtcDay},
};
use fencepost_ports::{Budget, Job, StoreError};
use serde::Serialize;

use crate::DeliveryReport;

/// What became of one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItemReport {
    /// Whose answer.
    pub puzzle_id: PuzzleId,
    /// How it ended.
    pub outcome: Outcome,
    /// The page's version, when it was changed or found unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_version: Option<ContentVersion>,
    /// The site's revision, when it was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// The guard's predicates that did not hold.
    pub blocked_by: Vec<Predicate>,
    /// What happened, for people, when the outcome alone does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl ItemReport {
    /// A report that says no more than how it ended.
    pub fn new(puzzle_id: PuzzleId, outcome: Outcome) -> Self {
        Self {
            puzzle_id,
            outcome,
            content_version: None,
            revision: None,
            blocked_by: Vec::new(),
            detail: None,
        }
    }

    /// The same report with an explanation.
    #[must_use]
    pub fn because(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }

    /// The report of an attempt that was refused for these predicates.
    pub(crate) fn refused(puzzle_id: PuzzleId, blocked_by: Vec<Predicate>) -> Self {
        Self::refused_as(puzzle_id, Predicate::refusal(&blocked_by), blocked_by)
    }

    /// The report of a commit that was refused, or of which nothing is known.
    pub(crate) fn refused_as(puzzle_id: PuzzleId, outcome: Outcome, blocked_by: Vec<Predicate>) -> Self {
        let unknown = || (outcome == Outcome::Unknown).then_some("the store gave no answer to the commit");
        let names_it = |it: &&Predicate| Predicate::refusal(&[**it]) == outcome;
        let strongest = blocked_by.iter().find(names_it).or(blocked_by.first());
        let detail = strongest.map(|predicate| predicate.complaint()).or_else(unknown);
        let detail = detail.map(str::to_owned);
        Self { detail, blocked_by, ..Self::new(puzzle_id, outcome) }
    }

    /// The same report with the one predicate that did not hold.
    #[must_use]
    pub(crate) fn blocked_by(self, predicate: Predicate) -> Self {
        Self { blocked_by: vec![predicate], ..self }
    }

    /// The words of the predicates that did not hold, for a log.
    pub(crate) fn blocked_by_words(&self) -> String {
        self.blocked_by.iter().map(|predicate| predicate.as_str()).collect::<Vec<_>>().join(",")
    }

    /// The same report with the page's version.
    #[must_use]
    pub fn at_version(self, content_version: ContentVersion) -> Self {
        Self { content_version: Some(content_version), ..self }
    }
}

/// What a run of a job did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunReport {
    /// The run.
    pub run_id: RunId,
    /// Which job.
    pub job: Job,
    /// On which UTC day it began.
    pub utc_day: UtcDay,
    /// When it began, by the store's clock.
    pub started_at: UnixMillis,
    /// When it ended, by the store's clock.
    pub finished_at: UnixMillis,
    /// The site's revision at its end.
    pub revision: Revision,
    /// Every item that it looked at, oldest first.
    pub items: Vec<ItemReport>,
    /// How many items ended how.
    pub counts: BTreeMap<Outcome, u32>,
    /// What became of commits that got no answer: how many looks at their receipts saw what.
    /// A commit is looked for until its fate is known, so one may count several times.
    pub ambiguous: BTreeMap<Resolution, u64>,
    /// The photos of coming puzzles.
    pub images: ImagesReport,
    /// Whether it stopped early and left due items to the next run.
    pub interrupted: bool,
    /// How many items were due at its end and not out, had rested after a failure, and were
    /// in nobody's hands: what a run that began then would look at.
    pub left: i64,
    /// The events that were delivered after its end, where somebody is told and it was asked to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deliveries: Option<DeliveryReport>,
    /// The calls of the invocation that it was part of, where they are limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetReport>,
}

/// What a run of a job would do, told without doing it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DryRunReport {
    /// True: nothing of this has happened.
    pub dry_run: bool,
    /// Which job.
    pub job: Job,
    /// On which UTC day it began.
    pub utc_day: UtcDay,
    /// When it began, by the store's clock.
    pub started_at: UnixMillis,
    /// When it ended, by the store's clock.
    pub finished_at: UnixMillis,
    /// The site's revision as it would be at the end.
    pub revision: Revision,
    /// Every item that it looked at, in the order of a run.
    pub items: Vec<ItemReport>,
    /// How many items would end how.
    pub counts: BTreeMap<Outcome, u32>,
    /// Whether it stopped early.
    pub interrupted: bool,
    /// The calls of the invocation that it was part of, where they are limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetReport>,
}

/// The calls of an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BudgetReport {
    /// How many were made so far.
    pub spent: u32,
    /// How many there are in all.
    pub limit: u32,
}

impl BudgetReport {
    /// How a budget stands; `None` without a limit.
    pub(crate) fn of(budget: &Budget) -> Option<Self> {
        Some(Self { spent: budget.spent(), limit: budget.limit()? })
    }
}

/// Photos made ready ahead of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImagesReport {
    /// Stored in this run.
    pub prepared: u32,
    /// Could not be had; tried again later.
    pub failed: u32,
}

/// Why an operator's action did not take place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActionError {
    /// The bank does not have that puzzle.
    #[error("there is no puzzle {0}; import it first")]
    UnknownPuzzle(PuzzleId),
    /// The store misbehaved.
    #[error(transparent)]
    Store(#[from] StoreError),
}
