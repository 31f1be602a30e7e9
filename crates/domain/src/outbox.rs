//! What is told to others: an event for each change of published content, one for each
//! beginning and each end of an alert, and what becomes of their deliveries.
//!
//! An event of a page is derived from the receipt of a commit, which is written in the
//! commit's own batch. So there is one for every change that happened and for no other, and a
//! commit neither waits for a receiver nor knows of one. An event of an alert is derived from
//! its [`Episode`](crate::episode::Episode) in the same way. Its name is derived as well:
//! whoever enqueues it, and however often it is sent, it is called the same, and a receiver
//! that remembers names takes it once.
//!
//! A delivery has no certain end. An answer can get lost, and whoever waits for it can be
//! killed. So an event is claimed for a while before it is sent, and the claim already sets
//! the instant of the next attempt: one that nobody reports of is an attempt that failed.
//!
//! Nothing is delivered in order. An answer that got lost, or a worker that slept, can bring
//! an older event behind a newer one, whatever the sender does. A receiver goes by
//! `content_version`: what is not higher than what it has seen of a puzzle is old.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{id::OwnerId, time::UnixMillis};

mod event;
pub use event::{AlertEdge, Event, EventId, EventKind, InvalidEventId, PageChange, Subject, Topic};

/// How long an event is the claimer's, in milliseconds: several times as long as it waits
/// for an answer.
pub const CLAIM_MS: i64 = 60_000;
/// How long a receiver may take to answer, in milliseconds.
pub const ANSWER_MS: u64 = 10_000;
/// From the first attempt to the second, in milliseconds. Each further wait is twice as long.
pub const FIRST_WAIT_MS: i64 = 30_000;
/// The longest wait between two attempts, in milliseconds.
pub const LONGEST_WAIT_MS: i64 = 6 * 3_600_000;
/// The attempt after whose failure an event is dead: some two days after the first one.
pub const MOST_ATTEMPTS: i64 = 18;
/// The most characters that are kept of the reason of a failure.
pub const LONGEST_ERROR: usize = 300;

/// Where an event stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventState {
    /// It is to be delivered.
    Pending,
    /// A receiver has said that it has it.
    Delivered,
    /// It is not tried any more, unless a person says so.
    Dead,
}

impl EventState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Pending, Self::Delivered, Self::Dead];

    /// The word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Dead => "dead",
        }
    }
}

impl FromStr for EventState {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or(())
    }
}

/// An event in the outbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutboxEntry {
    /// Its place in the order in which events were enqueued.
    pub number: i64,
    /// What is told.
    #[serde(flatten)]
    pub event: Event,
    /// Where it stands.
    pub state: EventState,
    /// How many attempts were begun, since it was enqueued or a person asked for another.
    pub attempts: i64,
    /// Since when it is in the outbox.
    pub created_at: UnixMillis,
    /// From when on it is to be tried, if it is pending.
    pub next_attempt_at: UnixMillis,
    /// Why the last attempt that is known of failed.
    pub last_error: Option<String>,
    /// When a receiver said that it has it.
    pub delivered_at: Option<UnixMillis>,
}

/// An event that somebody has claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedEvent {
    /// The store's clock right after the claim.
    pub now: UnixMillis,
    /// What to tell.
    pub event: Event,
    /// Which attempt this is, from 1.
    pub attempt: i64,
    /// Who has claimed it.
    pub owner: OwnerId,
}

/// How a delivery ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryEnd {
    /// The receiver has it.
    Delivered,
    /// It may not have it; tried again, unless it was the last attempt.
    Failed(String),
    /// The receiver wants no such events any more.
    Gone(String),
}

impl DeliveryEnd {
    /// What follows from the status of an answer. Redirects are not followed: whoever moves
    /// tells the operator.
    pub fn of_status(status: u16) -> Self {
        match status {
            200..=299 => Self::Delivered,
            410 => Self::Gone("the receiver answered 410: it wants no more".to_owned()),
            _ => Self::Failed(format!("the receiver answered {status}")),
        }
    }

    /// The state of an event after its `attempt`th attempt has ended so.
    pub fn state(&self, attempt: i64) -> EventState {
        match self {
            Self::Delivered => EventState::Delivered,
            Self::Gone(_) => EventState::Dead,
            Self::Failed(_) if attempt >= MOST_ATTEMPTS => EventState::Dead,
            Self::Failed(_) => EventState::Pending,
        }
    }

    /// What is kept of the reason.
    pub fn error(&self) -> Option<String> {
        match self {
            Self::Delivered => None,
            Self::Failed(why) | Self::Gone(why) => Some(why.chars().take(LONGEST_ERROR).collect()),
        }
    }
}

/// How long after the beginning of the `attempt`th attempt the next one is due, in
/// milliseconds.
pub fn wait_ms(attempt: i64) -> i64 {
    let doublings = u32::try_from(attempt.saturating_sub(1).clamp(0, 20)).unwrap_or(20);
    (FIRST_WAIT_MS << doublings).min(LONGEST_WAIT_MS)
}

/// What there is to do for an outbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutboxWork {
    /// The store's clock.
    pub now: UnixMillis,
    /// Whether there are commits that were not looked at yet, or nobody has begun to look.
    pub is_behind: bool,
    /// The first instant at which a pending event can be claimed.
    pub next_at: Option<UnixMillis>,
}

impl OutboxWork {
    /// Whether an event can be claimed now.
    pub fn is_due(&self) -> bool {
        self.next_at.is_some_and(|at| at <= self.now)
    }
}

/// How an outbox stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OutboxTally {
    /// Events to be delivered.
    pub pending: i64,
    /// Events that wait for a person.
    pub dead: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_attempts_take_some_two_days() {
        let waits: Vec<_> = (1..=12).map(|attempt| wait_ms(attempt) / 1_000).collect();
        assert_eq!(waits, [30, 60, 120, 240, 480, 960, 1_920, 3_840, 7_680, 15_360, 21_600, 21_600]);
        assert_eq!((wait_ms(0), wait_ms(i64::MAX), wait_ms(i64::MIN)), (30_000, 21_600_000, 30_000));
        let all: i64 = (1..MOST_ATTEMPTS).map(wait_ms).sum();
        assert_eq!(all, 181_890_000, "50 hours and a half");
    }

    #[test]
    fn an_answer_decides_and_so_does_the_last_attempt() {
        let check = |status: u16, attempt: i64, state: EventState| {
            assert_eq!(DeliveryEnd::of_status(status).state(attempt), state, "{status}, attempt {attempt}");
        };
        for status in [200, 202, 204, 299] {
            check(status, MOST_ATTEMPTS, EventState::Delivered);
        }
        for status in [199, 300, 301, 307, 400, 404, 409, 429, 500, 503] {
            check(status, MOST_ATTEMPTS - 1, EventState::Pending);
            check(status, MOST_ATTEMPTS, EventState::Dead);
        }
        check(410, 1, EventState::Dead);
    }

    #[test]
    fn a_reason_is_kept_as_far_as_it_is_short() {
        assert_eq!(DeliveryEnd::Delivered.error(), None);
        let long = DeliveryEnd::Failed("ü".repeat(LONGEST_ERROR + 1)).error();
        assert_eq!(long, Some("ü".repeat(LONGEST_ERROR)));
        assert_eq!(DeliveryEnd::of_status(500).error().as_deref(), Some("the receiver answered 500"));
    }

    #[test]
    fn work_is_due_from_its_instant_on() {
        let at = |now, next_at: Option<i64>| OutboxWork {
            now: UnixMillis::new(now),
            is_behind: false,
            next_at: next_at.map(UnixMillis::new),
        };
        assert!(at(5, Some(5)).is_due() && at(6, Some(5)).is_due());
        assert!(!at(4, Some(5)).is_due() && !at(4, None).is_due());
    }
}
