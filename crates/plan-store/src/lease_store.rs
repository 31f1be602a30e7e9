//! [`LeaseStore`], by plans.

use async_trait::async_trait;
use fencepost_domain::{
    id::OwnerId,
    lease::{self, Lease, LeaseKey, LeaseRow},
};
use fencepost_ports::{LeaseStore, StoreError};
use fencepost_sql::lease_store as plan;

use crate::{PlanRunner, PlanStore};

#[async_trait]
impl<R: PlanRunner> LeaseStore for PlanStore<R> {
    async fn claim(&self, key: LeaseKey, owner: &OwnerId, ttl_ms: i64) -> Result<LeaseRow, StoreError> {
        let (_, row) = self.batch_one(plan::claim(key, owner, ttl_ms)).await?;
        row.ok_or_else(|| missing(key))
    }

    async fn take_over(&self, key: LeaseKey, owner: &OwnerId, ttl_ms: i64) -> Result<LeaseRow, StoreError> {
        let (_, row) = self.batch_one(plan::take_over(key, owner, ttl_ms)).await?;
        row.ok_or_else(|| missing(key))
    }

    async fn renew(&self, held: &Lease, ttl_ms: i64) -> Result<Option<Lease>, StoreError> {
        let (now, row) = self.batch_one(plan::renew(held, ttl_ms)).await?;
        let still_held = row.filter(|row| row.is_live(now) && lease::is_holder(row, held));
        Ok(still_held.map(|row| Lease { expires_at: row.expires_at, ..held.clone() }))
    }

    async fn release(&self, held: &Lease) -> Result<Option<LeaseRow>, StoreError> {
        Ok(self.batch_one(plan::release(held)).await?.1)
    }
}

fn missing(key: LeaseKey) -> StoreError {
    StoreError::corrupt("job_leases.key", format!("the row of {key} vanished within its own batch"))
}
