//! What grows with the days, and is of no use after a while.
//!
//! Two jobs leave some nine thousand rows a year in the log of runs, each import leaves one,
//! and so does each event that was told to others. Every run forgets a few of the old ones
//! with the statement by which it ends, so nobody has to look after that, and the cost of a
//! run does not depend on how much there is to forget.
//!
//! Whatever somebody may still ask for is never forgotten, however old: leases, because a
//! fence only grows; receipts, by which attempts without an answer are settled and from which
//! events are derived; pages, and what people did. An event that was not delivered is not, and
//! neither is the newest run of a job, nor its newest one that ended: it is the sign of life.
//! The very first run and import stay as well. They tell since when there is anything to know.
//!
//! The token of an import keeps it from being done twice, should it be sent again because its
//! answer got lost. Whoever sends it again does so within seconds, and a day is the least for
//! which anything is kept.

use crate::time::{DAY_MS, UnixMillis};

/// For how many days rows are kept unless configured otherwise.
pub const DEFAULT_KEEP_DAYS: i64 = 90;
/// The most days for which rows can be kept: a hundred years.
pub const MAX_KEEP_DAYS: i64 = 36_500;
/// For how much longer a run is kept that has not ended, in milliseconds: whoever is still at
/// work has to find its row, even if a clock has jumped ahead meanwhile.
pub const OPEN_RUN_MS: i64 = 7 * DAY_MS;
/// How many of the oldest rows are looked at at once, and the most that are forgotten.
pub const AT_ONCE: usize = 500;

/// What is forgotten after a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Perishable {
    /// Runs of jobs.
    Runs,
    /// The tokens of imports.
    Edits,
    /// Events that were delivered.
    Events,
}

impl Perishable {
    /// Everything of that sort, in the order in which it has its turn.
    pub const ALL: [Self; 3] = [Self::Runs, Self::Edits, Self::Events];
}

/// What one run forgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pruning {
    /// Rows of which kind.
    pub what: Perishable,
    /// How old they have to be when the run ends, in milliseconds.
    pub keep_ms: i64,
}

impl Pruning {
    /// What a run forgets that began at `started_at`, where rows are kept for so many days;
    /// nothing if that is none, which means for ever.
    ///
    /// The kinds take turns by the hour, and by the day as well: so all of them have theirs
    /// where a job runs every hour, and where one runs but once a day at the same hour.
    pub fn at(started_at: UnixMillis, keep_days: i64) -> Option<Self> {
        const HOUR_MS: i64 = 3_600_000;
        if keep_days <= 0 {
            return None;
        }
        let hour = started_at.get().rem_euclid(DAY_MS) / HOUR_MS;
        let turn = (started_at.utc_day().get() + hour).rem_euclid(3);
        let what = match turn {
            0 => Perishable::Runs,
            1 => Perishable::Edits,
            _ => Perishable::Events,
        };
        Some(Self { what, keep_ms: keep_days.min(MAX_KEEP_DAYS) * DAY_MS })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(instants: impl Iterator<Item = i64>) -> Vec<Perishable> {
        instants.map(|ms| Pruning::at(UnixMillis::new(ms), 1).unwrap().what).collect()
    }

    #[test]
    fn all_kinds_have_their_turn_by_the_hour_and_by_the_day() {
        use Perishable::{Edits, Events, Runs};
        const HOUR: i64 = 3_600_000;
        assert_eq!(turns((0..4).map(|n| n * HOUR + 1_500_000)), [Runs, Edits, Events, Runs]);
        assert_eq!(turns((0..4).map(|n| n * DAY_MS + 600_000)), [Runs, Edits, Events, Runs]);
        assert_eq!(
            turns([HOUR - 1, HOUR, DAY_MS - 1, DAY_MS, -1].into_iter()),
            [Runs, Edits, Events, Edits, Edits]
        );
    }

    #[test]
    fn what_is_kept_for_no_days_is_kept_for_ever() {
        let keep = |days| Pruning::at(UnixMillis::new(0), days).map(|pruning| pruning.keep_ms / DAY_MS);
        assert_eq!([-1, 0, 1, 90].map(keep), [None, None, Some(1), Some(90)]);
        assert_eq!(keep(i64::MAX), Some(MAX_KEEP_DAYS));
    }
}
