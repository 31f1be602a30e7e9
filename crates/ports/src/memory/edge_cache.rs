//! A cache that forgets nothing: worse than any, as far as freshness goes.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use fencepost_domain::cache_key::CacheKey;

use crate::{CacheEntry, CacheError, EdgeCache};

/// A cache that keeps every entry for ever, whatever lifetime it is told.
#[derive(Debug, Default)]
pub struct EternalCache {
    entries: Mutex<BTreeMap<CacheKey, CacheEntry>>,
}

impl EternalCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// All entries by their names.
    pub fn entries(&self) -> BTreeMap<CacheKey, CacheEntry> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<CacheKey, CacheEntry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl EdgeCache for EternalCache {
    async fn get(&self, key: &CacheKey) -> Result<Option<CacheEntry>, CacheError> {
        Ok(self.lock().get(key).cloned())
    }

    async fn put(&self, entry: &CacheEntry, _: i64) -> Result<(), CacheError> {
        self.lock().insert(entry.key.clone(), entry.clone());
        Ok(())
    }
}
