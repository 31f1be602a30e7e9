//! The ledger: one item per puzzle, from import to publication.
//!
//! ```text
//!             claim                 commit
//! scheduled ─────────▶ processing ─────────▶ published ◀──▶ withdrawn
//!     ▲  ▲                 │  │                               ▲
//!     │  └── every end ────┘  └── permanent failure ▶ blocked │
//!     │     without commit                             │      │
//!     └────────── an edit or a retry ──────────────────┘      │
//!     └──────────── withdrawn before publication ─────────────┘
//! ```
//!
//! `processing` is a note for people: who may write is decided by the lease alone, so
//! an item that a dead worker left behind is simply claimed by the next.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{lease::LeaseRow, time::UnixMillis};

/// Failures of an item's own after which it is blocked until a person looks.
pub const MAX_ATTEMPTS: i64 = 10;

/// The longest that an item is made to wait for its next attempt.
///
/// A stored instant further ahead than this was written under a clock that has since
/// jumped back. It counts as passed, or the item would wait for as long as the clock was
/// wrong.
pub const LONGEST_WAIT_MS: i64 = 3_600_000;

/// The state of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemState {
    /// Waits for its instant, or for its next attempt.
    Scheduled,
    /// A worker has it in hand, or had when it died.
    Processing,
    /// Its page is public.
    Published,
    /// Taken back: 410 when it had a page, unknown when not.
    Withdrawn,
    /// Cannot be published until somebody edits or retries it.
    Blocked,
}

impl ItemState {
    /// Every state.
    pub const ALL: [Self; 5] =
        [Self::Scheduled, Self::Processing, Self::Published, Self::Withdrawn, Self::Blocked];

    /// The word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Processing => "processing",
            Self::Published => "published",
            Self::Withdrawn => "withdrawn",
            Self::Blocked => "blocked",
        }
    }

    /// Whether a job may take such an item in hand.
    pub const fn is_runnable(self) -> bool {
        matches!(self, Self::Scheduled | Self::Processing)
    }
}

impl FromStr for ItemState {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or(())
    }
}

/// One item of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Where it stands.
    pub state: ItemState,
    /// The first instant at which its answer may be seen.
    pub due_at: UnixMillis,
    /// Failures of its own, not claims.
    pub attempts: i64,
    /// No job takes it before this instant.
    pub next_attempt_at: UnixMillis,
    /// Why it is blocked, for people.
    pub blocked_reason: Option<String>,
}

impl Item {
    /// A freshly imported item.
    pub const fn scheduled(due_at: UnixMillis) -> Self {
        Self {
            state: ItemState::Scheduled,
            due_at,
            attempts: 0,
            next_attempt_at: UnixMillis::new(0),
            blocked_reason: None,
        }
    }

    /// Whether a job may take it in hand at `now`.
    pub fn is_runnable(&self, now: UnixMillis) -> bool {
        self.state.is_runnable() && self.due_at <= now && self.waits_until(now).is_none()
    }

    /// Whether it should have been taken in hand by `now`. A wait that was written under a
    /// clock which has since jumped back is taken at its word here, so that a store can
    /// answer from the end of one index; jobs see through it.
    pub fn is_overdue(&self, now: UnixMillis) -> bool {
        self.state.is_runnable() && self.due_at.max(self.next_attempt_at) <= now
    }

    /// The instant until which it is to be left alone, while that lies ahead.
    pub fn waits_until(&self, now: UnixMillis) -> Option<UnixMillis> {
        Some(self.next_attempt_at).filter(|at| *at > now && *at <= now.plus(LONGEST_WAIT_MS))
    }

    /// When a job should look at it again: at its due instant; once that has passed, when
    /// it has rested and its lease is free, which may lie in the past. `None` for an item
    /// that no job takes in hand.
    pub fn wakes_at(&self, lease: Option<&LeaseRow>, now: UnixMillis) -> Option<UnixMillis> {
        if !self.state.is_runnable() {
            return None;
        }
        if self.due_at > now {
            return Some(self.due_at);
        }
        let free_at = lease.filter(|row| row.is_live(now)).map(|row| row.expires_at);
        Some(
            self.due_at.max(self.waits_until(now).unwrap_or(self.due_at)).max(free_at.unwrap_or(self.due_at)),
        )
    }

    /// What it becomes when its puzzle was edited, or when a person wants it tried again:
    /// it may be taken at once, its failures forgiven. A worker that has it in hand finds
    /// it given back, and can neither commit nor block what it read before. An item that
    /// is out or withdrawn is nobody's to forgive.
    #[must_use]
    pub fn retried(&self) -> Self {
        match self.state {
            ItemState::Scheduled | ItemState::Processing | ItemState::Blocked => Self::scheduled(self.due_at),
            ItemState::Published | ItemState::Withdrawn => self.clone(),
        }
    }

    /// What it becomes when it is taken back before it has a page; `None` when there is
    /// nothing to take back.
    pub fn withdrawn_unpublished(&self) -> Option<Self> {
        self.is_movable().then(|| Self { state: ItemState::Withdrawn, blocked_reason: None, ..self.clone() })
    }

    /// Undoes [`Self::withdrawn_unpublished`].
    pub fn reinstated_unpublished(&self, has_page: bool) -> Option<Self> {
        (self.state == ItemState::Withdrawn && !has_page).then(|| Self::scheduled(self.due_at))
    }

    /// What it becomes when its due instant is moved; `None` when it has a page, was
    /// taken back, would be answered while its puzzle is still being played, or is due then
    /// anyway.
    pub fn rescheduled(&self, due_at: UnixMillis, playable_until: UnixMillis) -> Option<Self> {
        let moves = due_at != self.due_at && due_at >= playable_until;
        (self.is_movable() && moves).then(|| Self {
            due_at,
            next_attempt_at: UnixMillis::new(0),
            ..self.clone()
        })
    }

    /// Whether its publication still lies ahead. In none of these states is there a page.
    const fn is_movable(&self) -> bool {
        matches!(self.state, ItemState::Scheduled | ItemState::Processing | ItemState::Blocked)
    }
}

/// How an attempt to publish ended, when it ended without a commit and with its
/// lease still in hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nobody's failure: back to `scheduled`, to be taken at the next run.
    Restore,
    /// Back to `scheduled`, not to be taken for a while, no failure counted.
    Wait {
        /// Milliseconds from the store's now.
        delay_ms: i64,
    },
    /// A failure that may pass: counted, and tried again after a while.
    Fail {
        /// Milliseconds from the store's now.
        delay_ms: i64,
    },
    /// A failure that will not pass by itself: `blocked`.
    Block {
        /// What happened and what to do, for people.
        reason: String,
    },
}

impl Ending {
    /// The ending of an attempt that failed for a reason that may pass, after
    /// `attempts` earlier failures: twice the wait each time, and in the end `blocked`.
    pub fn after_failure(attempts: i64, message: &str) -> Self {
        if attempts + 1 >= MAX_ATTEMPTS {
            Self::Block { reason: format!("{message} (failed {MAX_ATTEMPTS} times; republish to try again)") }
        } else {
            Self::Fail { delay_ms: retry_delay_ms(attempts) }
        }
    }

    /// What the item becomes at `now`.
    #[must_use]
    pub fn apply(&self, item: &Item, now: UnixMillis) -> Item {
        let back = Item { state: ItemState::Scheduled, ..item.clone() };
        match self {
            Self::Restore => back,
            Self::Wait { delay_ms } => Item { next_attempt_at: now.plus(*delay_ms), ..back },
            Self::Fail { delay_ms } => {
                Item { next_attempt_at: now.plus(*delay_ms), attempts: item.attempts + 1, ..back }
            }
            Self::Block { reason } => Item {
                state: ItemState::Blocked,
                attempts: item.attempts + 1,
                blocked_reason: Some(reason.clone()),
                ..back
            },
        }
    }
}

/// One minute, doubled with every earlier failure, at most an hour.
fn retry_delay_ms(attempts: i64) -> i64 {
    const MINUTE_MS: i64 = 60_000;
    let doublings = u32::try_from(attempts.clamp(0, 6)).unwrap_or(6);
    (MINUTE_MS << doublings).min(LONGEST_WAIT_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_runnable_from_its_very_instant_on() {
        let due = UnixMillis::new(600_000);
        let item = Item::scheduled(due);
        assert!(!item.is_runnable(due.plus(-1)));
        assert!(item.is_runnable(due));
        assert!(Item { next_attempt_at: due, ..item.clone() }.is_runnable(due));
        assert!(!Item { next_attempt_at: due.plus(1), ..item.clone() }.is_runnable(due));
        assert!(!Item { next_attempt_at: due.plus(LONGEST_WAIT_MS), ..item.clone() }.is_runnable(due));
        assert!(Item { next_attempt_at: due.plus(LONGEST_WAIT_MS + 1), ..item.clone() }.is_runnable(due));
        for (state, runnable) in ItemState::ALL.into_iter().zip([true, true, false, false, false]) {
            assert_eq!(Item { state, ..item.clone() }.is_runnable(due), runnable, "{state:?}");
        }
    }

    #[test]
    fn an_item_is_overdue_once_it_is_due_and_rested() {
        let due = UnixMillis::new(600_000);
        let item = Item::scheduled(due);
        assert!(!item.is_overdue(due.plus(-1)));
        assert!(item.is_overdue(due) && item.is_overdue(due.plus(1)));
        let resting = Item { next_attempt_at: due.plus(5), ..item.clone() };
        assert!(!resting.is_overdue(due.plus(4)));
        assert!(resting.is_overdue(due.plus(5)));
        // Jobs see through a wait that is too long to be true; this does not.
        let jumped = Item { next_attempt_at: due.plus(LONGEST_WAIT_MS + 1), ..item.clone() };
        assert!(jumped.is_runnable(due) && !jumped.is_overdue(due));
        for (state, overdue) in ItemState::ALL.into_iter().zip([true, true, false, false, false]) {
            assert_eq!(Item { state, ..item.clone() }.is_overdue(due), overdue, "{state:?}");
        }
    }

    #[test]
    fn an_item_wakes_when_it_is_due_rested_and_free() {
        let due = UnixMillis::new(600_000);
        let lease = |expires_at| LeaseRow {
            owner: crate::id::OwnerId::new("me"),
            fence: crate::id::Fence::FIRST,
            expires_at: UnixMillis::new(expires_at),
        };
        let check = |item: &Item, lease: Option<LeaseRow>, expected: Option<i64>| {
            assert_eq!(
                item.wakes_at(lease.as_ref(), due).map(UnixMillis::get),
                expected,
                "{item:?} {lease:?}"
            );
        };
        let item = Item::scheduled(due);
        check(&item, None, Some(600_000));
        check(&Item { next_attempt_at: due.plus(5), ..item.clone() }, None, Some(600_005));
        check(&item, Some(lease(600_007)), Some(600_007));
        check(&item, Some(lease(600_000)), Some(600_000));
        let ahead = Item { due_at: due.plus(1), ..item.clone() };
        check(&ahead, Some(lease(600_007)), Some(600_001));
        check(&Item { state: ItemState::Blocked, ..item }, None, None);
    }

    #[test]
    fn people_move_items_only_as_far_as_their_state_allows() {
        use ItemState::{Blocked, Processing, Scheduled, Withdrawn};
        let due = UnixMillis::new(600_000);
        for state in ItemState::ALL {
            let item = Item {
                state,
                due_at: due,
                attempts: 3,
                next_attempt_at: due.plus(9),
                blocked_reason: (state == Blocked).then(|| "no photo".to_owned()),
            };
            let ahead = matches!(state, Scheduled | Processing | Blocked);
            assert_eq!(item.retried(), if ahead { Item::scheduled(due) } else { item.clone() });
            assert_eq!(
                item.withdrawn_unpublished(),
                ahead.then(|| Item { state: Withdrawn, blocked_reason: None, ..item.clone() })
            );
            assert_eq!(
                item.reinstated_unpublished(false),
                (state == Withdrawn).then(|| Item::scheduled(due))
            );
            let due_at = due.plus(1);
            let moved = Item { due_at, next_attempt_at: UnixMillis::new(0), ..item.clone() };
            assert_eq!(item.rescheduled(due_at, due), ahead.then_some(moved));
            let back = Item { due_at, ..item.clone() }.rescheduled(due, due);
            assert_eq!(back.map(|item| item.due_at), ahead.then_some(due), "to the very end of play");
            assert_eq!(item.rescheduled(due, due), None, "{state:?} to where it is");
            assert_eq!(item.rescheduled(due.plus(-1), due), None, "{state:?} before the end of play");
            assert_eq!(item.reinstated_unpublished(true), None, "{state:?} with a page");
        }
    }

    #[test]
    fn an_attempt_gives_the_item_back_and_counts_what_was_its_own_failure() {
        let now = UnixMillis::new(700_000);
        let item = Item {
            state: ItemState::Processing,
            due_at: UnixMillis::new(600_000),
            attempts: 3,
            next_attempt_at: UnixMillis::new(650_000),
            blocked_reason: None,
        };
        let check = |ending: Ending, expected: Item| assert_eq!(ending.apply(&item, now), expected);
        let back = Item { state: ItemState::Scheduled, ..item.clone() };
        check(Ending::Restore, back.clone());
        let next_attempt_at = now.plus(9);
        check(Ending::Wait { delay_ms: 9 }, Item { next_attempt_at, ..back.clone() });
        check(Ending::Fail { delay_ms: 9 }, Item { next_attempt_at, attempts: 4, ..back.clone() });
        let reason = "no photo".to_owned();
        check(
            Ending::Block { reason: reason.clone() },
            Item { state: ItemState::Blocked, attempts: 4, blocked_reason: Some(reason), ..back },
        );
    }

    #[test]
    fn waits_double_up_to_an_hour_and_end_in_blocked() {
        let minutes = |attempts| match Ending::after_failure(attempts, "timed out") {
            Ending::Fail { delay_ms } => Some(delay_ms / 60_000),
            Ending::Block { .. } => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            (0..10).map(minutes).collect::<Vec<_>>(),
            [Some(1), Some(2), Some(4), Some(8), Some(16), Some(32), Some(60), Some(60), Some(60), None]
        );
    }
}
