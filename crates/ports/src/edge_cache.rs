//! A cache of replies, beside whoever replies.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;
use fencepost_domain::{cache_key::CacheKey, revision::Revision, time::UnixMillis};
use serde::{Deserialize, Serialize};

/// What is said to a request for an address, in the state in which it leaves the site: a
/// page, a photo, or what keeps them from being shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// What the body is.
    pub content_type: String,
    /// The entity tag, without quotes; only a reply that succeeded has one.
    pub tag: Option<String>,
    /// Whether search engines may keep it.
    pub indexable: bool,
    /// When asking again may help.
    pub retry: Option<Retry>,
    /// The revision that came with the content.
    pub revision: Revision,
    /// The document, or the photo.
    pub body: Bytes,
}

/// A reply that is kept, and what it may be used for: an entry says itself what it is, and
/// until when it is true, so that no cache has to be trusted with either.
///
/// The reply is shared, since a cache in memory hands out the same one again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheEntry {
    /// The name that the reply was made for.
    pub key: CacheKey,
    /// The first instant, by the store's clock, at which it may not be used any more.
    pub fresh_until: UnixMillis,
    /// The reply.
    pub reply: Arc<Reply>,
}

/// When asking again may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retry {
    /// At this instant.
    At(UnixMillis),
    /// Some milliseconds after having asked.
    After(i64),
}

impl Retry {
    /// The wait of a request made at `now`, in whole seconds: rounded up, so that asking
    /// again is never too early, and at least one.
    pub fn seconds(self, now: UnixMillis) -> i64 {
        let ms = match self {
            Self::At(instant) => instant.since(now).max(1),
            Self::After(ms) => ms.max(1),
        };
        ms / 1_000 + i64::from(ms % 1_000 != 0)
    }
}

/// A cache of replies, beside whoever replies.
///
/// It decides nothing. A name is never used for two different replies, so an adapter may
/// lose an entry, keep it for longer than it was told, share it with other processes, or
/// confuse it with another. What it gives back MUST be whole.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait EdgeCache: Send + Sync {
    /// What was put under this name, if it is still there.
    async fn get(&self, key: &CacheKey) -> Result<Option<CacheEntry>, CacheError>;

    /// Puts an entry under its name, for so many milliseconds. May return before it is there.
    async fn put(&self, entry: &CacheEntry, lifetime_ms: i64) -> Result<(), CacheError>;
}

/// A cache that failed. Costs speed, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheError(pub String);

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CacheError {}

/// No cache at all: for whoever replies to nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCache;

#[async_trait]
impl EdgeCache for NoCache {
    async fn get(&self, _: &CacheKey) -> Result<Option<CacheEntry>, CacheError> {
        Ok(None)
    }

    async fn put(&self, _: &CacheEntry, _: i64) -> Result<(), CacheError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_is_told_to_wait_for_whole_seconds_rounded_up() {
        let check = |ms: i64, seconds| {
            assert_eq!(Retry::At(UnixMillis::new(5_000 + ms)).seconds(UnixMillis::new(5_000)), seconds);
        };
        check(30_000, 30);
        check(30_001, 31);
        check(999, 1);
        check(1, 1);
        check(0, 1);
        check(-5_000, 1);
        assert_eq!(Retry::After(30_000).seconds(UnixMillis::new(5)), 30);
    }
}
