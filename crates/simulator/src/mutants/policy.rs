//! Rules outside of the SQL, and how the simulated edge breaks them.

use fencepost_domain::{cache_key::CacheKey, time::UnixMillis};
use fencepost_ports::CacheEntry;

/// Rules of the program outside of its SQL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Policy {
    /// As it is.
    #[default]
    Real,
    /// An attempt that got no answer is repeated with its token.
    SameToken,
    /// A photo is recorded although it was not stored.
    PhotoNotStored,
    /// A photo is stored whether or not it is there.
    BlobsOverwrite,
    /// The revision is remembered for a second.
    RevisionRemembered,
    /// The name of an entry lacks the parts that begin with these letters.
    KeyLacks(&'static [&'static str]),
    /// The name of an entry lacks its path.
    KeyLacksPath,
    /// A page is kept under the revision that was current when it was asked for.
    KeptUnderRequest,
    /// Whatever the cache gives back is believed to be what was asked for.
    EntryNotCompared,
    /// The name lacks the epoch, and an entry is used for as long as the cache has it.
    EntryNeverExpires,
}

impl Policy {
    /// The name under which the cache looks, given the one that is asked for.
    pub(crate) fn cache_name(self, key: &CacheKey) -> CacheKey {
        let lacks = |part: &str| match self {
            Self::KeyLacks(letters) => letters.iter().any(|letter| is_part(part, letter)),
            Self::EntryNeverExpires => is_part(part, "e"),
            _ => false,
        };
        let parts: Vec<_> = key.as_str().split('/').filter(|part| !lacks(part)).collect();
        // "", environment, origin, build, contract, day, scope, revisions, epoch, and the path.
        let parts = if self == Self::KeyLacksPath { &parts[..10] } else { parts.as_slice() };
        let name = parts.join("/");
        if name == key.as_str() {
            return key.clone();
        }
        serde_json::from_value(name.into()).unwrap_or_else(|_| key.clone())
    }

    /// An entry as the program sees it that asked for `key`.
    pub(crate) fn as_read(self, entry: &CacheEntry, key: &CacheKey) -> CacheEntry {
        let entry = entry.clone();
        match self {
            Self::KeyLacks(_) | Self::KeyLacksPath | Self::KeptUnderRequest | Self::EntryNotCompared => {
                CacheEntry { key: key.clone(), ..entry }
            }
            Self::EntryNeverExpires => {
                CacheEntry { key: key.clone(), fresh_until: UnixMillis::new(i64::MAX), ..entry }
            }
            _ => entry,
        }
    }
}

/// Whether a part of a name is a letter and a number.
fn is_part(part: &str, letter: &str) -> bool {
    part.strip_prefix(letter).is_some_and(|digits| digits.parse::<i64>().is_ok())
}
