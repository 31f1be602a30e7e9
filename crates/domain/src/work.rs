//! Finding work: what may be taken in hand now, and when to look again.

use crate::{id::PuzzleId, quota::DailyQuota, time::UnixMillis};

/// A place in the order of runnable items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The item's due instant.
    pub due_at: UnixMillis,
    /// Its puzzle, where two are due at once.
    pub puzzle_id: PuzzleId,
}

/// What a job finds when it looks for work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runnable {
    /// The store's clock.
    pub now: UnixMillis,
    /// Whether the site is paused.
    pub paused: bool,
    /// The row of the current UTC day.
    pub quota: Option<DailyQuota>,
    /// The items, oldest first.
    pub items: Vec<RunnableItem>,
    /// What was found in their place and cannot be read, for whoever repairs it: it keeps
    /// no other item waiting.
    pub unreadable: Vec<String>,
}

/// An item that a job may take in hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunnableItem {
    /// Where it stands in the order.
    pub position: Position,
    /// Whether somebody held its lease a moment ago.
    pub leased: bool,
    /// Whether its photo is stored, or none is wanted: nothing needs to be fetched.
    pub photo_ready: bool,
}

/// When to look for work again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake {
    /// The store's clock.
    pub now: UnixMillis,
    /// The due instant of the oldest item that is runnable now and in nobody's hands.
    /// `None` without one, and while the site is paused or the day's quota is used up.
    pub overdue: Option<UnixMillis>,
    /// The next instant after now at which an item may become runnable: its due instant,
    /// its next attempt, or the expiry of a lease that a dead worker left behind.
    pub upcoming: Option<UnixMillis>,
}

impl Wake {
    /// The first of both instants.
    pub fn first(self) -> Option<UnixMillis> {
        self.overdue.or(self.upcoming)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_overdue_wakes_before_what_is_still_to_come() {
        let [overdue, now, upcoming] = [1, 5, 9].map(UnixMillis::new);
        let first = |overdue, upcoming| Wake { now, overdue, upcoming }.first();
        assert_eq!(first(Some(overdue), Some(upcoming)), Some(overdue));
        assert_eq!(first(None, Some(upcoming)), Some(upcoming));
        assert_eq!(first(Some(overdue), None), Some(overdue));
        assert_eq!(first(None, None), None);
    }
}
