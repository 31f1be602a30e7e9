//! [`Verifier`], by plans.

use async_trait::async_trait;
use fencepost_domain::image::ImageKey;
use fencepost_ports::{ReferencedImage, Schema, StoreError, Verifier, Violation};
use fencepost_sql::verifier as plan;

use crate::{PlanRunner, PlanStore};

#[async_trait]
impl<R: PlanRunner> Verifier for PlanStore<R> {
    async fn violations(&self) -> Result<Vec<Violation>, StoreError> {
        let mut violations = Vec::new();
        for check in plan::checks() {
            violations.extend(self.0.read(check).await?);
        }
        Ok(violations)
    }

    async fn referenced_images(
        &self,
        after: Option<ImageKey>,
        limit: u32,
    ) -> Result<Vec<ReferencedImage>, StoreError> {
        self.0.read(plan::referenced_images(after.as_ref(), limit)).await
    }

    async fn schema(&self) -> Result<Schema, StoreError> {
        let applied = if self.0.read_one(plan::has_journal()).await? {
            self.0.read(plan::applied_migrations()).await?
        } else {
            Vec::new()
        };
        Ok(plan::schema(&applied))
    }
}
