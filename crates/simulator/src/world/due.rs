//! What is to happen, in the order in which it does.

use std::sync::Arc;

use fencepost_domain::cache_key::CacheKey;
use fencepost_ports::CacheEntry;

use super::ActorId;

/// What is to happen.
#[derive(Clone, Debug)]
pub(crate) enum Happening {
    /// A stimulus from outside.
    Begin(usize),
    /// What an actor waited for is there.
    Wake { actor: ActorId, wait: u64 },
    /// A request arrives at the database.
    Arrive(usize),
    /// A page arrives at a cache.
    Keep { centre: usize, key: CacheKey, entry: Arc<CacheEntry> },
}

/// Something to happen, and when; ties are broken by chance.
pub(crate) struct Due {
    pub(crate) at: i64,
    pub(crate) tie: u32,
    pub(crate) number: u64,
    pub(crate) what: Happening,
}

impl Due {
    const fn order(&self) -> (i64, u32, u64) {
        (self.at, self.tie, self.number)
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}
