//! Replies in the memory of the process.
//!
//! The cache is bounded in bytes and throws out what is asked for least. Lifetimes are not
//! its business: an entry says itself until when it may be used, and one that nobody can
//! address any more, because a revision or an instant has passed, is never asked for and so
//! the first to go.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use fencepost_domain::cache_key::CacheKey;
use fencepost_ports::{CacheEntry, CacheError, EdgeCache, Reply};

use crate::room::{Bounded, OnHeap, bounded, piece};

/// A page, roughly: what the cache makes room for.
const TYPICAL_ENTRY_BYTES: u64 = 8_192;

/// A cache of replies that takes at most so many bytes.
#[derive(Debug)]
pub struct MemoryCache(Bounded<CacheKey, CacheEntry>);

impl MemoryCache {
    /// An empty cache that takes at most `bytes` bytes. What is larger than a part of it (see
    /// `room.rs`) is not kept.
    pub fn new(bytes: u64) -> Self {
        Self(bounded(bytes, TYPICAL_ENTRY_BYTES))
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
        self.0.insert(entry.key.clone(), without_spare_room(entry));
        Ok(())
    }
}

/// The same entry, with a body that takes what it is long.
fn without_spare_room(entry: &CacheEntry) -> CacheEntry {
    let mut reply = Reply::clone(&entry.reply);
    reply.body = Bytes::copy_from_slice(&reply.body);
    CacheEntry { reply: Arc::new(reply), ..entry.clone() }
}

impl OnHeap for CacheKey {
    fn on_heap(&self) -> usize {
        piece(self.as_str().len())
    }
}

impl OnHeap for CacheEntry {
    fn on_heap(&self) -> usize {
        let reply = &self.reply;
        // The name stands in the entry as well.
        self.key.on_heap()
            + piece(2 * size_of::<usize>() + size_of::<Reply>())
            + piece(reply.content_type.len())
            + reply.tag.as_ref().map_or(0, |tag| piece(tag.len()))
            + reply.body.on_heap()
    }
}
