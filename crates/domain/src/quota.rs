//! How many pages may be published on one UTC day.
//!
//! A quota turns a flood (a restored backlog, a wrong import) into a trickle that a
//! person can stop. The day's own row decides once it exists: two deployments with
//! different settings cannot disagree about today.

use serde::{Deserialize, Serialize};

/// The quota of a day unless configured otherwise.
pub const DEFAULT_DAILY_QUOTA: i64 = 100;

/// One day's count, and the limit that it was begun with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DailyQuota {
    /// Pages published so far.
    pub published: i64,
    /// The limit.
    pub quota: i64,
}

impl DailyQuota {
    /// The count of a day that has no row yet.
    pub const fn fresh(quota: i64) -> Self {
        Self { published: 0, quota }
    }

    /// Whether one more page may be published.
    pub const fn has_left(self) -> bool {
        self.published < self.quota
    }
}
