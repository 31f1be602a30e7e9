//! What became of attempts to commit that got no answer: a closed set of words, the same in
//! reports, logs and the API.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What is known of attempts without an answer, after the store was asked about them.
///
/// It is said of one look. A later look at the same attempts may see more: `not_seen`
/// becomes `committed` when an attempt arrives that was only slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// One of them has a receipt.
    Committed,
    /// None of them has a receipt, and what they change is at another version than they
    /// expect: none of them will ever land.
    Superseded,
    /// None of them has a receipt, and nobody else has changed it. They may be lost,
    /// or may still arrive.
    NotSeen,
    /// The store does not answer this question either, or the lease is over and it is too late
    /// to try again.
    Unknown,
}

impl Resolution {
    /// Every resolution.
    pub const ALL: [Self; 4] = [Self::Committed, Self::Superseded, Self::NotSeen, Self::Unknown];

    /// The word, as it is written to JSON: such as `not_seen`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Committed => "committed",
            Self::Superseded => "superseded",
            Self::NotSeen => "not_seen",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Resolution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
