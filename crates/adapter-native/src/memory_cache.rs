//! Replies in the memory of the process.
//!
//! The cache is bounded in bytes and throws out what is asked for least. Lifetimes are not
//! its business: an entry says itself until when it may be used, and one that nobody can
//! address any more, because a revision or an instant has passed, is never asked for and so
//! the first to go.

use std::mem::size_of;

use async_trait::async_trait;
use fencepost_domain::cache_key::CacheKey;
use fencepost_ports::{CacheEntry, CacheError, EdgeCache, Reply};
use quick_cache::{Weighter, sync::Cache};

/// A page, roughly: what the cache makes room for.
const TYPICAL_ENTRY_BYTES: u64 = 8_192;

/// A cache of replies that takes at most so many bytes.
#[derive(Debug)]
pub struct MemoryCache(Cache<CacheKey, CacheEntry, Bytes>);

impl MemoryCache {
    /// An empty cache that takes at most `bytes` bytes. What is larger than that by itself
    /// is not kept.
    pub fn new(bytes: u64) -> Self {
        let entries = usize::try_from(bytes / TYPICAL_ENTRY_BYTES).unwrap_or(usize::MAX);
        Self(Cache::with_weighter(entries.max(1), bytes, Bytes))
    }

    /// How many bytes are taken.
    pub fn bytes(&self) -> u64 {
        self.0.weight()
    }
}

#[async_trait]
impl EdgeCache for MemoryCache {
    async fn get(&self, key: &CacheKey) -> Result<Option<CacheEntry>, CacheError> {
        Ok(self.0.get(key))
    }

    async fn put(&self, entry: &CacheEntry, _: i64) -> Result<(), CacheError> {
        self.0.insert(entry.key.clone(), entry.clone());
        Ok(())
    }
}

/// Weighs entries by what they take.
#[derive(Clone, Debug)]
struct Bytes;

impl Weighter<CacheKey, CacheEntry> for Bytes {
    fn weight(&self, key: &CacheKey, entry: &CacheEntry) -> u64 {
        let reply = &entry.reply;
        // The name stands in the entry as well.
        let texts = 2 * key.as_str().len()
            + reply.body.len()
            + reply.content_type.len()
            + reply.tag.as_ref().map_or(0, String::len);
        u64::try_from(texts + size_of::<CacheKey>() + size_of::<CacheEntry>() + size_of::<Reply>())
            .unwrap_or(u64::MAX)
    }
}
