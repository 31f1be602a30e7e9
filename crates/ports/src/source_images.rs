//! The ledger of photos: each fetched once, however many workers want it.

use async_trait::async_trait;
use fencepost_domain::{
    id::{OwnerId, PuzzleId},
    image::SourceImage,
    lease::Lease,
    preflight::{ImagePreflight, ImageRecord},
};

use crate::StoreError;

/// The ledger of photos.
///
/// An adapter MUST record a fetch only under the image lease that it was made under, and
/// only while the puzzle still has the address that was fetched. The lease may have run
/// out as long as nobody has taken it over: a download that took its time is not wasted.
/// It MUST raise `bank_revision` by one with a record that changes which photo the puzzle
/// shows, and with no other: pages that show it are kept under that revision.
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
