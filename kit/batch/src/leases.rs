//! Leases of a store: a plan for each, and what its answer means.

use std::fmt::Display;

use fencepost_core::{
    StoreError,
    id::OwnerId,
    lease::{self, Lease, LeaseRow},
};

use crate::{PlanRunner, Store, lease_store as plan};

impl<R: PlanRunner> Store<R> {
    /// Claims the lease on `key` for `ttl_ms` milliseconds by the database's clock, and no longer
    /// than [`MAX_LEASE_MS`](lease::MAX_LEASE_MS). Returns the row that stands afterwards: its owner
    /// is `owner` if the claim succeeded. [`Store::hold`] returns the lease instead.
    ///
    /// It may be repeated: the live holder gets the same fence again.
    ///
    /// # Errors
    /// A store that misbehaved.
    pub async fn claim(
        &self,
        key: &(impl Display + Sync),
        owner: &OwnerId,
        ttl_ms: i64,
    ) -> Result<LeaseRow, StoreError> {
        let (_, row) = self.batch_one(plan::claim(key, owner, ttl_ms)).await?;
        row.ok_or_else(|| missing(key))
    }

    /// Claims the lease on `key` for `ttl_ms` milliseconds, as [`claim`](Self::claim) does (15 minutes
    /// at most), and returns it; `None` if somebody else holds it.
    ///
    /// ```
    /// use fencepost_batch::{PlanRunner, Store};
    /// use fencepost_core::{StoreError, TokenSource, lease::DEFAULT_LEASE_MS, retry::Patience};
    ///
    /// async fn work<R: PlanRunner>(store: &Store<R>, patience: Patience<'_>) -> Result<bool, StoreError> {
    ///     let key = "order:7".to_owned();
    ///     // Drawn once for each run, so that a claim may be repeated and a restart is nobody's heir.
    ///     let owner = patience.tokens.owner("worker-1");
    ///     let claim = || store.hold(&key, &owner, DEFAULT_LEASE_MS);
    ///     let Some(lease) = patience.persistently(claim).await? else { return Ok(false) };
    ///     // … prepare, and commit under `lease` …
    ///     store.release(&lease).await?;
    ///     Ok(true)
    /// }
    /// ```
    ///
    /// # Errors
    /// A store that misbehaved.
    pub async fn hold<K: Display + Clone + Send + Sync>(
        &self,
        key: &K,
        owner: &OwnerId,
        ttl_ms: i64,
    ) -> Result<Option<Lease<K>>, StoreError> {
        let (now, row) = self.batch_one(plan::claim(key, owner, ttl_ms)).await?;
        Ok(row.and_then(|row| row.held_by(owner, key.clone(), now)))
    }

    /// Takes the lease on `key` over at once for `ttl_ms` milliseconds, whoever holds it: a deed of
    /// a person. The fence makes that safe for whoever believed to hold it. It is not to be
    /// repeated without need: each time, the fence grows. Returns the row that stands afterwards.
    ///
    /// # Errors
    /// A store that misbehaved.
    pub async fn take_over(
        &self,
        key: &(impl Display + Sync),
        owner: &OwnerId,
        ttl_ms: i64,
    ) -> Result<LeaseRow, StoreError> {
        let (_, row) = self.batch_one(plan::take_over(key, owner, ttl_ms)).await?;
        row.ok_or_else(|| missing(key))
    }

    /// Renews a lease for `ttl_ms` milliseconds from now; `None` when it is lost, and then it stays
    /// lost.
    ///
    /// # Errors
    /// A store that misbehaved.
    pub async fn renew<K: Display + Clone + Send + Sync>(
        &self,
        held: &Lease<K>,
        ttl_ms: i64,
    ) -> Result<Option<Lease<K>>, StoreError> {
        let (now, row) = self.batch_one(plan::renew(held, ttl_ms)).await?;
        let still_held = row.filter(|row| row.is_live(now) && lease::is_holder(row, held));
        Ok(still_held.map(|row| Lease { expires_at: row.expires_at, ..held.clone() }))
    }

    /// Releases a lease if it is still the holder's; the fence is kept. Returns the row that
    /// stands afterwards. What is committed under it releases it by itself: see
    /// [`commit`](Self::commit).
    ///
    /// # Errors
    /// A store that misbehaved.
    pub async fn release<K: Display + Send + Sync>(
        &self,
        held: &Lease<K>,
    ) -> Result<Option<LeaseRow>, StoreError> {
        Ok(self.batch_one(plan::release(held)).await?.1)
    }
}

fn missing(key: &impl Display) -> StoreError {
    StoreError::corrupt("job_leases.key", format!("the row of {key} vanished within its own batch"))
}
