//! [`SourceImages`], by plans.

use async_trait::async_trait;
use fencepost_domain::{
    id::{OwnerId, PuzzleId},
    image::SourceImage,
    lease::Lease,
};
use fencepost_ports::{ImagePreflight, ImageRecord, SourceImages, StoreError};
use fencepost_sql::source_images as plan;

use crate::{PlanRunner, PlanStore};

#[async_trait]
impl<R: PlanRunner> SourceImages for PlanStore<R> {
    async fn unprepared(&self, lead_ms: i64, limit: u32) -> Result<Vec<PuzzleId>, StoreError> {
        self.0.read(plan::unprepared(lead_ms, limit)).await
    }

    async fn begin(
        &self,
        puzzle: PuzzleId,
        owner: &OwnerId,
        ttl_ms: i64,
    ) -> Result<ImagePreflight, StoreError> {
        self.0.batch_one(plan::begin(puzzle, owner, ttl_ms)).await
    }

    async fn record(&self, lease: &Lease, record: &ImageRecord) -> Result<Option<SourceImage>, StoreError> {
        Ok(self.0.batch_optional(plan::record(lease, record)).await?.flatten())
    }
}
