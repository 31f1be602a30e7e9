//! What leases are about. Their rules are those of [`fencepost_core::lease`].

use std::{fmt, str::FromStr};

pub use fencepost_core::lease::{
    DEFAULT_LEASE_MS, LeaseRow, MAX_LEASE_MS, claim, is_holder, release, renew, take_over,
};
use serde::{Deserialize, Serialize};

use crate::id::PuzzleId;

/// A lease on a puzzle's answer or photo.
pub type Lease = fencepost_core::lease::Lease<LeaseKey>;

/// What a lease is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum LeaseKey {
    /// Publishing the answer of a puzzle, or changing its page.
    Publication(PuzzleId),
    /// Fetching the photo of a puzzle.
    Image(PuzzleId),
}

impl LeaseKey {
    /// The puzzle concerned.
    pub const fn puzzle_id(self) -> PuzzleId {
        match self {
            Self::Publication(id) | Self::Image(id) => id,
        }
    }
}

impl fmt::Display for LeaseKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Publication(id) => write!(f, "publication:{id}"),
            Self::Image(id) => write!(f, "image:{id}"),
        }
    }
}

impl From<LeaseKey> for String {
    fn from(key: LeaseKey) -> Self {
        key.to_string()
    }
}

impl TryFrom<String> for LeaseKey {
    type Error = InvalidLeaseKey;

    fn try_from(text: String) -> Result<Self, InvalidLeaseKey> {
        text.parse()
    }
}

impl FromStr for LeaseKey {
    type Err = InvalidLeaseKey;

    fn from_str(text: &str) -> Result<Self, InvalidLeaseKey> {
        let refuse = || InvalidLeaseKey(text.to_owned());
        let (kind, id) = text.split_once(':').ok_or_else(refuse)?;
        let id = id.parse().map_err(|_| refuse())?;
        match kind {
            "publication" => Ok(Self::Publication(id)),
            "image" => Ok(Self::Image(id)),
            _ => Err(refuse()),
        }
    }
}

/// A text that is no lease key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a lease key: publication:ID or image:ID")]
pub struct InvalidLeaseKey(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_back() {
        for text in ["publication:1121", "image:7"] {
            let key: LeaseKey = text.parse().unwrap();
            assert_eq!(key.to_string(), text);
            assert_eq!(LeaseKey::try_from(String::from(key)), Ok(key));
        }
        assert!("publication:0".parse::<LeaseKey>().is_err());
        assert!("other:1".parse::<LeaseKey>().is_err());
    }
}
