//! Where the bytes of photos are kept.

use async_trait::async_trait;
use fencepost_domain::image::ImageKey;

use crate::{Exhausted, StoreError};

/// Photos, stored under the hash of their content.
///
/// An adapter MUST create only: what is stored under a key is never overwritten. It MUST
/// NOT report a blob as stored before it would survive a crash, and MUST NOT let a
/// reader see part of one.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait BlobStore: Send + Sync {
    /// Stores `bytes` under `key` unless something is there already.
    async fn put(&self, key: &ImageKey, bytes: Vec<u8>) -> Result<PutOutcome, BlobError>;

    /// The blob under `key`.
    async fn get(&self, key: &ImageKey) -> Result<Option<Blob>, BlobError>;

    /// Whether there is a blob under `key`.
    async fn exists(&self, key: &ImageKey) -> Result<bool, BlobError>;

    /// Finds out whether something can be stored: writes a few bytes under a name that no
    /// blob can have and that nobody else uses, reads them back, and deletes them. It is the
    /// one thing that is ever deleted.
    async fn probe(&self) -> Result<(), BlobError>;
}

/// What storing led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    /// The blob is stored now.
    Stored,
    /// It was there before.
    AlreadyThere,
}

/// A stored photo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Why nothing came of a call. Putting again is always safe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlobError {
    /// The blob store misbehaved.
    #[error("the image store failed: {0}")]
    Failed(String),
    /// The call was not made.
    #[error("the image store was not asked: {0}")]
    OverBudget(#[from] Exhausted),
}

impl From<BlobError> for StoreError {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::Failed(_) => Self::unknown(error.to_string()),
            BlobError::OverBudget(exhausted) => exhausted.into(),
        }
    }
}
