//! [`RevisionSource`] on SQLite.

use async_trait::async_trait;
use fencepost_domain::revision::SiteMoment;
use fencepost_ports::{RevisionSource, StoreError};
use fencepost_sql::revision_source as plan;

use crate::SqliteStore;

#[async_trait]
impl RevisionSource for SqliteStore {
    async fn moment(&self) -> Result<SiteMoment, StoreError> {
        self.read_one(plan::moment()).await
    }
}
