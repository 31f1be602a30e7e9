//! Leases: the domain's rules on one row.

use async_trait::async_trait;
use fencepost_domain::{
    id::OwnerId,
    lease::{self, Lease, LeaseKey, LeaseRow},
};

use super::MemoryStore;
use crate::{LeaseStore, StoreError};

#[async_trait]
impl LeaseStore for MemoryStore {
    async fn claim(&self, key: LeaseKey, owner: &OwnerId, ttl_ms: i64) -> Result<LeaseRow, StoreError> {
        self.write(|state, now| match lease::claim(state.lease(key), owner, now, ttl_ms) {
            Some(row) => {
                state.set_lease(key, row.clone(), now);
                Ok(row)
            }
            None => Ok(state.lease(key).cloned().expect("only a live lease of another refuses a claim")),
        })
    }

    async fn take_over(&self, key: LeaseKey, owner: &OwnerId, ttl_ms: i64) -> Result<LeaseRow, StoreError> {
        self.write(|state, now| {
            let row = lease::take_over(state.lease(key), owner, now, ttl_ms);
            state.set_lease(key, row.clone(), now);
            Ok(row)
        })
    }

    async fn renew(&self, lease: &Lease, ttl_ms: i64) -> Result<Option<Lease>, StoreError> {
        self.write(|state, now| {
            let renewed = lease::renew(state.lease(lease.key), lease, now, ttl_ms);
            Ok(renewed.map(|row| {
                let expires_at = row.expires_at;
                state.set_lease(lease.key, row, now);
                Lease { expires_at, ..lease.clone() }
            }))
        })
    }

    async fn release(&self, lease: &Lease) -> Result<Option<LeaseRow>, StoreError> {
        self.write(|state, now| {
            state.release(lease, now);
            Ok(state.lease(lease.key).cloned())
        })
    }
}
