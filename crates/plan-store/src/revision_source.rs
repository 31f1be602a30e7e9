//! [`RevisionSource`], by plans.

use async_trait::async_trait;
use fencepost_domain::revision::SiteMoment;
use fencepost_ports::{RevisionSource, StoreError};
use fencepost_sql::revision_source as plan;

use crate::{PlanRunner, PlanStore};

#[async_trait]
impl<R: PlanRunner> RevisionSource for PlanStore<R> {
    async fn moment(&self) -> Result<SiteMoment, StoreError> {
        self.0.read_one(plan::moment()).await
    }
}
