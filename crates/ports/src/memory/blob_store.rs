//! Photos in a map.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use fencepost_domain::image::ImageKey;

use crate::{Blob, BlobError, BlobStore, PutOutcome};

/// Photos in a map.
#[derive(Debug, Default)]
pub struct MemoryBlobs(Mutex<BTreeMap<ImageKey, Vec<u8>>>);

impl MemoryBlobs {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// The keys of all that is stored, in order.
    pub fn keys(&self) -> Vec<ImageKey> {
        self.blobs().keys().cloned().collect()
    }

    fn blobs(&self) -> MutexGuard<'_, BTreeMap<ImageKey, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl BlobStore for MemoryBlobs {
    async fn put(&self, key: &ImageKey, bytes: Vec<u8>) -> Result<PutOutcome, BlobError> {
        let mut blobs = self.blobs();
        if blobs.contains_key(key) {
            return Ok(PutOutcome::AlreadyThere);
        }
        blobs.insert(key.clone(), bytes);
        Ok(PutOutcome::Stored)
    }

    async fn get(&self, key: &ImageKey) -> Result<Option<Blob>, BlobError> {
        Ok(self.blobs().get(key).map(|bytes| Blob { bytes: bytes.clone() }))
    }

    async fn exists(&self, key: &ImageKey) -> Result<bool, BlobError> {
        Ok(self.blobs().contains_key(key))
    }

    async fn probe(&self) -> Result<(), BlobError> {
        Ok(())
    }
}
