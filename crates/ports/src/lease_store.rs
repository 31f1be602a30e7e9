//! Leases with fencing tokens.

use async_trait::async_trait;
use fencepost_domain::{
    id::OwnerId,
    lease::{Lease, LeaseKey, LeaseRow},
};

use crate::StoreError;

/// Leases with fencing tokens, by the store's clock.
///
/// An adapter MUST decide each call in one atomic statement by the rules of
/// [`fencepost_domain::lease`], MUST use the store's own clock, MUST NOT delete a row,
/// and MUST judge by what it reads back, never by a count of changed rows.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait LeaseStore: Send + Sync {
    /// Claims `key` for `ttl_ms` milliseconds and returns the row that stands
    /// afterwards: its owner is `owner` if the claim succeeded.
    async fn claim(&self, key: LeaseKey, owner: &OwnerId, ttl_ms: i64) -> Result<LeaseRow, StoreError>;

    /// Takes `key` over at once, whoever holds it.
    async fn take_over(&self, key: LeaseKey, owner: &OwnerId, ttl_ms: i64) -> Result<LeaseRow, StoreError>;

    /// Renews `lease`; `None` when it is lost, and then it stays lost.
    async fn renew(&self, lease: &Lease, ttl_ms: i64) -> Result<Option<Lease>, StoreError>;

    /// Releases `lease` if it is still the holder's; the fence is kept. Returns the row
    /// that stands afterwards.
    async fn release(&self, lease: &Lease) -> Result<Option<LeaseRow>, StoreError>;
}
