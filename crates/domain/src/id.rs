//! A type for every identity, so that an owner is never passed for a token.
//!
//! Random values ([`OwnerId`], [`CommitToken`], [`RunId`], [`ReportToken`]) are made at
//! the edge and handed in; nothing here draws a random number.

use std::{fmt, str::FromStr};

pub use fencepost_core::id::{CommitToken, Fence, OwnerId};

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

fencepost_core::random_name! {
    /// The name of one run of a job.
    RunId
}

fencepost_core::random_name! {
    /// The mark of one report of a result. Every try of the same report carries the same
    /// one: a session has one row, so a second try can write nothing, and finds its mark.
    ReportToken
}

fencepost_core::counter! {
    /// How many times a page has been committed.
    ContentVersion,
    /// No page yet.
    NONE = 0
}

fencepost_core::counter! {
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
