//! A type for every identity, so that an owner is never passed for a token.
//!
//! Random values ([`OwnerId`], [`CommitToken`], [`RunId`], [`ReportToken`]) are made at
//! the edge and handed in; nothing here draws a random number.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The largest puzzle id: the largest integer that survives a trip through a
/// JavaScript number unharmed.
pub const MAX_PUZZLE_ID: i64 = (1 << 53) - 1;

/// The number of a puzzle, `1..=2^53 - 1`, chosen by whoever keeps the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "i64")]
pub struct PuzzleId(i64);

impl PuzzleId {
    /// The id as an integer.
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl TryFrom<i64> for PuzzleId {
    type Error = InvalidPuzzleId;

    fn try_from(id: i64) -> Result<Self, InvalidPuzzleId> {
        if (1..=MAX_PUZZLE_ID).contains(&id) { Ok(Self(id)) } else { Err(InvalidPuzzleId(id.to_string())) }
    }
}

impl From<PuzzleId> for i64 {
    fn from(id: PuzzleId) -> i64 {
        id.0
    }
}

impl FromStr for PuzzleId {
    type Err = InvalidPuzzleId;

    /// Reads the canonical decimal form only: no sign, no leading zero, no space.
    fn from_str(text: &str) -> Result<Self, InvalidPuzzleId> {
        let refuse = || InvalidPuzzleId(text.to_owned());
        if text.starts_with(['0', '+', '-']) {
            return Err(refuse());
        }
        text.parse::<i64>().ok().and_then(|id| Self::try_from(id).ok()).ok_or_else(refuse)
    }
}

impl fmt::Display for PuzzleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A number that cannot be a puzzle's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a puzzle id: ids are whole numbers from 1 to 9007199254740991")]
pub struct InvalidPuzzleId(String);

macro_rules! random_identity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps a value that the token source drew.
            pub fn new(value: impl Into<String>) -> Self {
                Self(value.into())
            }

            /// The value as it is stored.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

random_identity! {
    /// Who holds a lease: drawn afresh for every run of a job and for every
    /// operator's action, so that a restarted process is never its own predecessor.
    OwnerId
}

random_identity! {
    /// The mark of one attempt to commit. Drawn afresh for *every* attempt: an
    /// attempt that may have landed and its retry must be told apart.
    CommitToken
}

random_identity! {
    /// The name of one run of a job.
    RunId
}

random_identity! {
    /// The mark of one report of a result. Every try of the same report carries the same
    /// one: a session has one row, so a second try can write nothing, and finds its mark.
    ReportToken
}

/// Declares a number that only ever grows, so that no two kinds of them are mixed up.
macro_rules! counter {
    ($(#[$doc:meta])* $name:ident, $(#[$first_doc:meta])* $first:ident = $value:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(i64);

        impl $name {
            $(#[$first_doc])*
            pub const $first: Self = Self($value);

            /// The one with this number.
            pub const fn new(number: i64) -> Self {
                Self(number)
            }

            /// The number.
            pub const fn get(self) -> i64 {
                self.0
            }

            /// The following one.
            #[must_use]
            pub const fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
pub(crate) use counter;

counter! {
    /// How many times a lease has changed hands; only ever grows.
    Fence,
    /// The fence of a lease that nobody held before.
    FIRST = 1
}

counter! {
    /// How many times a page has been committed.
    ContentVersion,
    /// No page yet.
    NONE = 0
}

counter! {
    /// How many times a row of the bank has been written.
    BankVersion,
    /// The version of a freshly imported row.
    FIRST = 1
}

impl BankVersion {
    /// No row yet: whoever expects this wants a puzzle that the bank does not have.
    pub const NONE: Self = Self::new(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_puzzle_id_has_one_spelling() {
        assert_eq!("1121".parse::<PuzzleId>().map(PuzzleId::get), Ok(1121));
        for text in
            ["", "0", "-1", "+1", "01", "1.0", "1e3", " 1", "9007199254740992", "99999999999999999999"]
        {
            assert!(text.parse::<PuzzleId>().is_err(), "{text:?} was accepted");
        }
        assert_eq!(PuzzleId::try_from(1121).map(|id| id.to_string()).as_deref(), Ok("1121"));
    }

    #[test]
    fn a_puzzle_id_is_a_whole_number_that_javascript_can_hold() {
        let read = |number| PuzzleId::try_from(number).map(i64::from).map_err(drop);
        for number in [1, 1121, 9_007_199_254_740_991] {
            assert_eq!(read(number), Ok(number));
        }
        for number in [i64::MIN, -1, 0, 9_007_199_254_740_992, i64::MAX] {
            assert_eq!(read(number), Err(()), "{number}");
        }
    }
}
