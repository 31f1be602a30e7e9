//! The rules about what an import tells.
//!
//! Every edit has a name of its own, so the bank tells whether it ever had a row. Rows are
//! refused for two reasons: the row was changed since it was seen, or another day is asked
//! for than it has, although its page is out or the day is another puzzle's.

use fencepost_domain::time::DAY_MS;

use super::{Mark, Oracle, Rule, State, Window, marks};
use crate::stats::Stats;

/// A row that somebody has sent.
#[derive(Clone, Debug)]
pub(crate) struct SentRow {
    pub(crate) mark: Mark,
    pub(crate) day: i64,
    /// The version that it was made for, if he says so.
    pub(crate) expected: Option<i64>,
}

impl SentRow {
    fn is_stored(&self, state: &State) -> bool {
        state.puzzle(self.mark.puzzle).is_some_and(|puzzle| marks::read(&puzzle.name) == Some(self.mark))
    }

    /// Whether there is anything against this row, as one of `rows`.
    fn may_be_refused(&self, state: &State, rows: &[Self]) -> bool {
        let Some(puzzle) = state.puzzle(self.mark.puzzle) else { return self.expected.is_some() };
        let opens_at = self.day * DAY_MS;
        let is_stale = self.expected.is_some_and(|expected| expected != puzzle.bank_version);
        let is_taken = state
            .puzzles
            .iter()
            .any(|other| other.opens_at == opens_at && rows.iter().all(|row| row.mark.puzzle != other.id));
        let moves = puzzle.opens_at != opens_at;
        is_stale || moves && (is_taken || state.page(puzzle.id).is_some())
    }
}

impl Oracle {
    /// An import has been answered: its rows are stored, or refused.
    pub(crate) fn judge_import(&mut self, rows: &[SentRow], done: bool, window: &Window, stats: &mut Stats) {
        let states: Vec<_> = self.states_since(window).collect();
        let holds = if done {
            rows.iter().all(|row| states.iter().any(|state| row.is_stored(state)))
        } else {
            rows.iter().any(|row| states.iter().any(|state| row.may_be_refused(state, rows)))
        };
        self.check(Rule::ImportsTrue, stats, holds, || {
            format!("{rows:?} were {}", if done { "not stored" } else { "refused for nothing" })
        });
    }
}
