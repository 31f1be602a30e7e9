//! [`LeaseStore`], by plans.

use async_trait::async_trait;
use fencepost_domain::{
    id::OwnerId,
    lease::{Lease, LeaseKey, LeaseRow},
};
use fencepost_ports::{LeaseStore, StoreError};

use crate::{PlanRunner, PlanStore};

#[async_trait]
impl<R: PlanRunner> LeaseStore for PlanStore<R> {
    async fn claim(&self, key: LeaseKey, owner: &OwnerId, ttl_ms: i64) -> Result<LeaseRow, StoreError> {
        self.0.claim(&key, owner, ttl_ms).await
    }

    async fn take_over(&self, key: LeaseKey, owner: &OwnerId, ttl_ms: i64) -> Result<LeaseRow, StoreError> {
        self.0.take_over(&key, owner, ttl_ms).await
    }

    async fn renew(&self, held: &Lease, ttl_ms: i64) -> Result<Option<Lease>, StoreError> {
        self.0.renew(held, ttl_ms).await
    }

    async fn release(&self, held: &Lease) -> Result<Option<LeaseRow>, StoreError> {
        self.0.release(held).await
    }
}
