//! Whoever sees everything, and holds every step against the promises.
//!
//! The oracle reads the database past the application after each write, keeps what there
//! was, and judges by rules of its own: it shares no query, no predicate and no cache with
//! what it judges.

mod rule;
pub use rule::Rule;

mod state;
pub(crate) use state::{Item, State};

mod changes;

mod reading;
pub(crate) use reading::{Reading, Target, Window};

mod imports;
pub(crate) use imports::SentRow;

mod marks;
pub(crate) use marks::{Mark, price_cents, spell};

mod reports;
pub(crate) use reports::Told;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use fencepost_domain::image::ImageKey;

use crate::{database::Database, stats::Stats, world::ActorId};

/// An invariant that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub rule: Rule,
    /// What was found.
    pub detail: String,
}

/// What there was from one instant on.
struct Moment {
    /// The true time.
    at: i64,
    /// The database's clock.
    clock: i64,
    state: Arc<State>,
}

/// Whoever sees everything.
pub(crate) struct Oracle {
    log: Vec<Moment>,
    writes_seen: Option<u64>,
    violation: Option<Violation>,
    /// Puzzles whose lease was deleted by hand: their fences may begin anew.
    forgotten: BTreeSet<i64>,
    /// The version of the bank's row that an edit was made for, by puzzle and edit.
    expected: BTreeMap<(i64, i64), i64>,
    /// The due instant that somebody moves an answer from, if he says so.
    moved_from: BTreeMap<ActorId, i64>,
    told: Vec<Told>,
    /// Rules that it looks away from.
    unseen: BTreeSet<Rule>,
}

/// What the world does to the database beside the workers, or the workers themselves.
pub(crate) struct Step<'a> {
    pub(crate) database: &'a Database,
    pub(crate) blobs: &'a BTreeMap<ImageKey, Vec<u8>>,
    /// The database's clock when the step began, and how far it moved in each statement.
    pub(crate) clock: i64,
    pub(crate) drift: i64,
    /// The true time.
    pub(crate) now: i64,
    /// Whose call it was, and what it is called; nobody's if somebody wrote by hand.
    pub(crate) call: Option<(ActorId, &'static str)>,
}

impl Oracle {
    /// One that looks away from some rules.
    pub(crate) fn new(unseen: BTreeSet<Rule>) -> Self {
        Self {
            unseen,
            log: Vec::new(),
            writes_seen: None,
            violation: None,
            forgotten: BTreeSet::new(),
            expected: BTreeMap::new(),
            moved_from: BTreeMap::new(),
            told: Vec::new(),
        }
    }

    /// The first violation.
    pub(crate) fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// Counts a check, and remembers the first that fails.
    pub(crate) fn check(
        &mut self,
        rule: Rule,
        stats: &mut Stats,
        holds: bool,
        detail: impl FnOnce() -> String,
    ) {
        stats.rule(rule);
        if !holds && self.violation.is_none() && !self.unseen.contains(&rule) {
            self.violation = Some(Violation { rule, detail: detail() });
        }
    }

    /// What the database holds now.
    pub(crate) fn state(&self) -> Arc<State> {
        self.log.last().map(|moment| moment.state.clone()).unwrap_or_default()
    }

    /// Looks at the database, if anything was written, and judges the change.
    pub(crate) fn look(&mut self, step: &Step<'_>, stats: &mut Stats) {
        let writes = step.database.writes_so_far();
        if self.writes_seen.replace(writes) == Some(writes) {
            return;
        }
        let next = match State::read(&step.database.connection) {
            Ok(state) => Arc::new(state),
            Err(error) => {
                return self.check(Rule::StoreAgrees, stats, false, || error.to_string());
            }
        };
        let before = self.state();
        if self.log.is_empty() || *before != *next {
            self.judge(&before, &next, step, stats);
            self.log.push(Moment { at: step.now, clock: step.clock, state: next });
        }
    }

    /// The database's clock has jumped.
    pub(crate) fn clock_moved(&mut self, now: i64, clock: i64) {
        let state = self.state();
        self.log.push(Moment { at: now, clock, state });
    }

    /// Somebody is about to delete the lease of a puzzle by hand.
    pub(crate) fn forget_lease(&mut self, puzzle: i64) {
        self.forgotten.insert(puzzle);
    }

    /// Whether the lease of what a verifier calls this was deleted by hand.
    pub(crate) fn is_forgotten(&self, subject: &str) -> bool {
        self.forgotten.iter().any(|id| subject == format!("puzzle {id}"))
    }

    /// An edit is made for this version of the bank's row.
    pub(crate) fn expect(&mut self, puzzle: i64, edit: i64, version: i64) {
        self.expected.insert((puzzle, edit), version);
    }

    /// Somebody moves an answer, from this due instant and from no other.
    pub(crate) fn expect_due(&mut self, actor: ActorId, due_at: i64) {
        self.moved_from.insert(actor, due_at);
    }
}
