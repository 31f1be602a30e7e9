//! The ledger of photos: each fetched once, however many workers want it.

use async_trait::async_trait;
use fencepost_domain::{
    id::{OwnerId, PuzzleId},
    image::{ImageKey, SourceImage},
    lease::{Lease, LeaseKey, LeaseRow},
    time::UnixMillis,
};

use crate::StoreError;

/// The ledger of photos.
///
/// An adapter MUST record a fetch only under the image lease that it was made under,
/// and only while the puzzle still has the address that was fetched.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SourceImages: Send + Sync {
    /// Puzzles that are open, or open within `lead_ms` milliseconds, whose photo is not
    /// ready and not waiting for its next attempt. At most `limit`.
    async fn unprepared(&self, lead_ms: i64, limit: u32) -> Result<Vec<PuzzleId>, StoreError>;

    /// Claims the image lease of a puzzle, and reads the photo's address and state.
    async fn begin(
        &self,
        puzzle: PuzzleId,
        owner: &OwnerId,
        ttl_ms: i64,
    ) -> Result<ImagePreflight, StoreError>;

    /// Records a fetch and releases the lease. Returns what is known of the photo
    /// afterwards.
    async fn record(&self, lease: &Lease, record: &ImageRecord) -> Result<Option<SourceImage>, StoreError>;
}

/// What is seen before a photo is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImagePreflight {
    /// The store's clock.
    pub now: UnixMillis,
    /// The row of the image lease.
    pub lease: Option<LeaseRow>,
    /// The puzzle's present address.
    pub image_url: Option<String>,
    /// What is known of the photo.
    pub image: Option<SourceImage>,
}

impl ImagePreflight {
    /// The lease, if `owner` got it.
    pub fn lease_of(&self, puzzle: PuzzleId, owner: &OwnerId) -> Option<Lease> {
        let row = self.lease.as_ref()?;
        (row.owner == *owner && row.is_live(self.now)).then(|| Lease {
            key: LeaseKey::Image(puzzle),
            owner: owner.clone(),
            fence: row.fence,
            expires_at: row.expires_at,
        })
    }
}

/// How a fetch ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageRecord {
    /// The photo is stored.
    Ready {
        /// The address that it was fetched from.
        image_url: String,
        /// Its name in the blob store.
        object_key: ImageKey,
        /// Its size.
        bytes: i64,
    },
    /// The photo could not be had.
    Failed {
        /// The address that was tried.
        image_url: String,
        /// What happened.
        error: String,
        /// Milliseconds until preparing it is tried again.
        retry_after_ms: i64,
    },
}
