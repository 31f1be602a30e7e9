//! The rules about what workers say that they did.
//!
//! Whoever commits draws the token, and a token says whose it is. So a report can be held
//! against the receipts: what is told as done must have one, and what is told as refused
//! must have none, now and later.

use fencepost_domain::outcome::Outcome;

use super::{Oracle, Rule, Window};
use crate::{stats::Stats, world::ActorId};

/// What an actor told about one puzzle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) actor: ActorId,
    pub(crate) puzzle: i64,
    pub(crate) outcome: Outcome,
    pub(crate) revision: Option<i64>,
    pub(crate) version: Option<i64>,
    /// The time since it began.
    pub(crate) window: Window,
}

impl Oracle {
    /// A report has been made.
    pub(crate) fn hear(&mut self, told: Told, stats: &mut Stats) {
        stats.outcome(told.outcome);
        self.judge_report(&told, stats);
        self.told.push(told);
    }

    /// What is told by somebody who begins several runs: only what each has done.
    pub(crate) fn hear_of_deed(&mut self, told: &Told, stats: &mut Stats) {
        stats.outcome(told.outcome);
        if told.revision.is_some() {
            self.judge_report(told, stats);
        }
    }

    /// At the end: nothing has landed since that was reported as refused.
    pub(crate) fn judge_reports(&mut self, stats: &mut Stats) {
        for told in std::mem::take(&mut self.told) {
            self.judge_report(&told, stats);
        }
    }

    /// Whether an item without a page has come to be so since the report's beginning.
    fn changed(&self, told: &Told, is_so: impl Fn(&str) -> bool) -> bool {
        let states: Vec<_> = self
            .states_since(&told.window)
            .filter_map(|state| state.item(told.puzzle))
            .map(|item| is_so(&item.state))
            .collect();
        states.windows(2).any(|two| two == [false, true])
    }

    fn judge_report(&mut self, told: &Told, stats: &mut Stats) {
        let state = self.state();
        let prefix = format!("{}-", told.actor);
        let mut own = state
            .receipts
            .iter()
            .filter(|receipt| receipt.id == told.puzzle && receipt.token.starts_with(&prefix));
        let holds = match told.revision {
            Some(revision) => own.any(|receipt| {
                receipt.revision == revision
                    && Some(receipt.version) == told.version
                    && receipt.kind == kind(told.outcome)
            }),
            None => match told.outcome {
                Outcome::Unknown => true,
                Outcome::Published | Outcome::Updated => false,
                Outcome::Withdrawn => self.changed(told, |state| state == "withdrawn"),
                Outcome::Reinstated => self.changed(told, |state| state != "withdrawn"),
                _ => own.next().is_none(),
            },
        };
        self.check(Rule::ReportsTrue, stats, holds, || {
            format!("{told:?}, and there are {:?}", state.receipts)
        });
    }
}

const fn kind(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Published => "publish",
        Outcome::Updated => "update",
        Outcome::Withdrawn => "withdraw",
        Outcome::Reinstated => "reinstate",
        _ => "none",
    }
}
