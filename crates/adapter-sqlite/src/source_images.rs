//! [`SourceImages`] on SQLite.

use async_trait::async_trait;
use fencepost_domain::{
    id::{OwnerId, PuzzleId},
    image::SourceImage,
    lease::Lease,
};
use fencepost_ports::{ImagePreflight, ImageRecord, SourceImages, StoreError};
use fencepost_sql::source_images::{self as plan, Recorded};

use crate::SqliteStore;

#[async_trait]
impl SourceImages for SqliteStore {
    async fn unprepared(&self, lead_ms: i64, limit: u32) -> Result<Vec<PuzzleId>, StoreError> {
        self.read(plan::unprepared(lead_ms, limit)).await
    }

    async fn begin(
        &self,
        puzzle: PuzzleId,
        owner: &OwnerId,
        ttl_ms: i64,
    ) -> Result<ImagePreflight, StoreError> {
        let seen = self.batch_one(plan::begin(puzzle, owner, ttl_ms)).await?;
        Ok(ImagePreflight { now: seen.now, lease: seen.lease, image_url: seen.image_url, image: seen.image })
    }

    async fn record(&self, lease: &Lease, record: &ImageRecord) -> Result<Option<SourceImage>, StoreError> {
        let (image_url, recorded) = match record {
            ImageRecord::Ready { image_url, object_key, bytes } => {
                (image_url, Recorded::Ready { object_key, bytes: *bytes })
            }
            ImageRecord::Failed { image_url, error, retry_after_ms } => {
                (image_url, Recorded::Failed { error, retry_after_ms: *retry_after_ms })
            }
        };
        Ok(self.batch_optional(plan::record(lease, image_url, &recorded)).await?.flatten())
    }
}
