//! Leases with fencing tokens.
//!
//! A lease says who may work on a thing, and until when. Its *expiry* is about
//! liveness: a holder that dies is replaced without a human. Its *fence* is about
//! safety: it grows whenever the lease changes hands, every dependent write names
//! it, and so a holder that wakes up too late writes nothing. A lease alone could
//! not promise that, since no holder can know that it has just been asleep.
//!
//! The rules are written here once, as functions over rows, for models and simulations, and once
//! in SQL, in `fencepost-batch`. No rule reads a clock.
//!
//! ```
//! use fencepost_core::{id::OwnerId, lease::{self, MAX_LEASE_MS}, time::UnixMillis};
//!
//! let (first, second) = (OwnerId::new("worker-1/a"), OwnerId::new("worker-2/b"));
//! let at = UnixMillis::new;
//! let row = lease::claim(None, &first, at(0), 60_000).expect("nobody held it");
//! assert_eq!(lease::claim(Some(&row), &second, at(59_999), 60_000), None);
//!
//! // The first one sleeps through its expiry. The second one gets a higher fence.
//! let lease = row.held_by(&first, "order:7", at(0)).expect("it is live");
//! let row = lease::claim(Some(&row), &second, at(60_000), 60_000).expect("it has expired");
//! assert!(row.fence > lease.fence);
//! assert!(!lease::is_holder(&row, &lease), "nothing that the first one sends is written");
//! # assert!(60_000 < MAX_LEASE_MS);
//! ```

use serde::{Deserialize, Serialize};

use crate::{
    id::{Fence, OwnerId},
    time::UnixMillis,
};

/// How long a lease lives unless configured otherwise, in milliseconds: three minutes.
pub const DEFAULT_LEASE_MS: i64 = 180_000;

/// The longest that any lease may live, in milliseconds: fifteen minutes, the longest that a
/// scheduled Worker may run.
///
/// A stored lease that claims to live longer than this from now was written under a
/// clock that has since jumped back. It counts as expired, or what it is about would be
/// stuck for as long as the clock was wrong.
pub const MAX_LEASE_MS: i64 = 900_000;

/// A lease as its holder knows it: proof, with every write, of who is writing.
///
/// `K` is what leases are about. Its text is the key of the row, so no two things may have
/// the same, and it must read back as what it was.
///
/// A store gives one out, but nothing depends on where it comes from: every write compares it
/// with the row of the lease, and one that was made up holds nothing. So it may travel, and be
/// kept, as any value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease<K> {
    /// What it is about.
    pub key: K,
    /// Who holds it.
    pub owner: OwnerId,
    /// Its fencing token.
    pub fence: Fence,
    /// From this instant on it may change hands.
    pub expires_at: UnixMillis,
}

/// A row of the lease table: held, expired or released.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseRow {
    /// The last holder.
    pub owner: OwnerId,
    /// The last fence; never falls, not even when the lease is released.
    pub fence: Fence,
    /// From this instant on it may change hands; 0 when released.
    pub expires_at: UnixMillis,
}

impl LeaseRow {
    /// Whether somebody holds this lease at `now`.
    pub fn is_live(&self, now: UnixMillis) -> bool {
        self.expires_at > now && self.expires_at <= now.plus(MAX_LEASE_MS)
    }

    /// The lease on `key`, if this is its row and `owner` holds it at `now`.
    pub fn held_by<K>(&self, owner: &OwnerId, key: K, now: UnixMillis) -> Option<Lease<K>> {
        (self.owner == *owner && self.is_live(now)).then(|| Lease {
            key,
            owner: owner.clone(),
            fence: self.fence,
            expires_at: self.expires_at,
        })
    }
}

/// Claims a lease for `ttl_ms` milliseconds: the row that the table holds afterwards, or `None`
/// when another owner's lease is live and nothing is written.
///
/// Claiming is re-entrant. The live owner gets the same fence again, with a fresh
/// expiry, so that a claim whose answer was lost is simply made again.
pub fn claim(existing: Option<&LeaseRow>, owner: &OwnerId, now: UnixMillis, ttl_ms: i64) -> Option<LeaseRow> {
    match existing {
        Some(row) if row.is_live(now) && row.owner == *owner => Some(held(owner, row.fence, now, ttl_ms)),
        Some(row) if row.is_live(now) => None,
        _ => Some(take_over(existing, owner, now, ttl_ms)),
    }
}

/// Takes a lease over at once, live or not: an operator's action. The fence makes
/// that safe for whoever believed to hold it.
pub fn take_over(existing: Option<&LeaseRow>, owner: &OwnerId, now: UnixMillis, ttl_ms: i64) -> LeaseRow {
    let fence = existing.map_or(Fence::FIRST, |row| row.fence.next());
    held(owner, fence, now, ttl_ms)
}

/// Renews a lease: the row that stands afterwards, or `None` and nothing is written. Only for its
/// very holder, and only while it lives.
pub fn renew<K>(
    existing: Option<&LeaseRow>,
    lease: &Lease<K>,
    now: UnixMillis,
    ttl_ms: i64,
) -> Option<LeaseRow> {
    existing
        .filter(|row| row.is_live(now) && is_holder(row, lease))
        .map(|_| held(&lease.owner, lease.fence, now, ttl_ms))
}

/// Releases a lease of its very holder: the row that stands afterwards, with its fence, or `None`
/// and nothing is written.
pub fn release<K>(existing: Option<&LeaseRow>, lease: &Lease<K>) -> Option<LeaseRow> {
    existing
        .filter(|row| is_holder(row, lease))
        .map(|row| LeaseRow { expires_at: UnixMillis::new(0), ..row.clone() })
}

/// Whether `lease` names the row's owner and fence, live or not.
pub fn is_holder<K>(row: &LeaseRow, lease: &Lease<K>) -> bool {
    row.owner == lease.owner && row.fence == lease.fence
}

fn held(owner: &OwnerId, fence: Fence, now: UnixMillis, ttl_ms: i64) -> LeaseRow {
    LeaseRow { owner: owner.clone(), fence, expires_at: now.plus(ttl_ms.min(MAX_LEASE_MS)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis::new(1_000_000_000);

    fn row(owner: &str, fence: i64, expires_in: i64) -> LeaseRow {
        LeaseRow { owner: OwnerId::new(owner), fence: Fence::new(fence), expires_at: NOW.plus(expires_in) }
    }

    fn check(existing: Option<LeaseRow>, expected_fence: Option<i64>) {
        let claimed = claim(existing.as_ref(), &OwnerId::new("me"), NOW, 1_000);
        assert_eq!(claimed.as_ref().map(|row| row.fence.get()), expected_fence, "claiming {existing:?}");
        if let Some(row) = claimed {
            assert_eq!((row.owner.as_str(), row.expires_at), ("me", NOW.plus(1_000)));
        }
    }

    #[test]
    fn a_claim_gets_the_fence_that_the_state_of_the_lease_implies() {
        check(None, Some(1));
        check(Some(row("me", 4, 500)), Some(4));
        check(Some(row("me", 4, 0)), Some(5));
        check(Some(row("you", 4, 1)), None);
        check(Some(row("you", 4, 0)), Some(5));
        check(Some(row("you", 4, MAX_LEASE_MS)), None);
        check(Some(row("you", 4, MAX_LEASE_MS + 1)), Some(5));
    }

    #[test]
    fn a_lease_is_the_live_one_of_its_owner() {
        let key = "invoice:1";
        let me = OwnerId::new("me");
        let held = row("me", 4, 1).held_by(&me, key, NOW);
        assert_eq!(
            held,
            Some(Lease { key, owner: me.clone(), fence: Fence::new(4), expires_at: NOW.plus(1) })
        );
        assert_eq!(row("me", 4, 0).held_by(&me, key, NOW), None);
        assert_eq!(row("you", 4, 1).held_by(&me, key, NOW), None);
    }

    #[test]
    fn nobody_gets_a_lease_for_longer_than_the_longest() {
        let expiry = |ttl_ms| {
            let row = claim(None, &OwnerId::new("me"), NOW, ttl_ms)?;
            Some(row.expires_at.since(NOW))
        };
        assert_eq!(expiry(DEFAULT_LEASE_MS), Some(180_000));
        assert_eq!(expiry(MAX_LEASE_MS), Some(900_000));
        assert_eq!(expiry(MAX_LEASE_MS + 1), Some(900_000));
    }

    #[test]
    fn only_the_live_holder_renews() {
        let lease =
            Lease { key: "invoice:1", owner: OwnerId::new("me"), fence: Fence::new(4), expires_at: NOW };
        assert!(renew(Some(&row("me", 4, 1)), &lease, NOW, 9).is_some());
        assert!(renew(Some(&row("me", 4, 0)), &lease, NOW, 9).is_none());
        assert!(renew(Some(&row("me", 5, 1)), &lease, NOW, 9).is_none());
        assert!(renew(Some(&row("you", 4, 1)), &lease, NOW, 9).is_none());
        assert!(renew(None, &lease, NOW, 9).is_none());
    }

    #[test]
    fn a_release_keeps_the_fence() {
        let lease =
            Lease { key: "invoice:1", owner: OwnerId::new("me"), fence: Fence::new(4), expires_at: NOW };
        let released = release(Some(&row("me", 4, 1)), &lease).unwrap();
        assert_eq!((released.fence.get(), released.is_live(NOW)), (4, false));
        assert!(release(Some(&row("you", 5, 1)), &lease).is_none());
    }
}
