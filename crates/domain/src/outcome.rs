//! How an action on one item can end: a closed set of words, the same in reports,
//! logs, metrics and the API. Losing a race is one of them, not an error.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How an action on one item ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The page is public for the first time.
    Published,
    /// The page has new content.
    Updated,
    /// The page, or the unpublished item, was taken back.
    Withdrawn,
    /// The page, or the unpublished item, is back.
    Reinstated,
    /// Nothing public would have changed, so nothing was written.
    Unchanged,
    /// Its instant has not come.
    NotDue,
    /// Somebody else has it in hand.
    LeaseHeld,
    /// Somebody else took it over meanwhile; nothing was written.
    LeaseLost,
    /// What it was prepared from has changed; the next run takes the new state.
    Conflict,
    /// It cannot go on without a person.
    Blocked,
    /// Today's quota is used up; tomorrow's run goes on.
    QuotaExhausted,
    /// The site is paused.
    Paused,
    /// The store gave no answer; the next run settles it.
    Unknown,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 13] = [
        Self::Published,
        Self::Updated,
        Self::Withdrawn,
        Self::Reinstated,
        Self::Unchanged,
        Self::NotDue,
        Self::LeaseHeld,
        Self::LeaseLost,
        Self::Conflict,
        Self::Blocked,
        Self::QuotaExhausted,
        Self::Paused,
        Self::Unknown,
    ];

    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Updated => "updated",
            Self::Withdrawn => "withdrawn",
            Self::Reinstated => "reinstated",
            Self::Unchanged => "unchanged",
            Self::NotDue => "not_due",
            Self::LeaseHeld => "lease_held",
            Self::LeaseLost => "lease_lost",
            Self::Conflict => "conflict",
            Self::Blocked => "blocked",
            Self::QuotaExhausted => "quota_exhausted",
            Self::Paused => "paused",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
