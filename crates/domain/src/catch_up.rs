//! How jobs catch up with what they have missed.
//!
//! A site that was down for a week has a week of answers to publish when it is back. Whether
//! that is wanted is for its people to say, once for all deployments: so it stands in the
//! store. What jobs leave alone, a person can still publish.

use serde::{Deserialize, Serialize};

use crate::time::UnixMillis;

/// What jobs do about items that are late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatchUp {
    /// Whether they publish what was due on an earlier UTC day.
    pub publish_late: bool,
    /// How long ago, in milliseconds, an item may have been due; `None`: any time.
    pub skip_older_than: Option<i64>,
}

impl CatchUp {
    /// The longest age that can be set: a hundred years.
    pub const LONGEST_MS: i64 = 36_525 * 86_400_000;

    /// Whether jobs still publish at `now` what was due at `due_at`.
    pub fn still_wants(self, due_at: UnixMillis, now: UnixMillis) -> bool {
        let same_day = due_at.utc_day() >= now.utc_day();
        let young = self.skip_older_than.is_none_or(|age| now.get() - due_at.get() <= age);
        (self.publish_late || same_day) && young
    }
}

/// Jobs catch up with everything, unless somebody says otherwise.
impl Default for CatchUp {
    fn default() -> Self {
        Self { publish_late: true, skip_older_than: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::DAY_MS;

    #[test]
    fn what_is_late_is_wanted_as_the_policy_says() {
        let due = UnixMillis::new(10 * DAY_MS + 600_000);
        let wanted = |publish_late, skip_older_than, ms| {
            CatchUp { publish_late, skip_older_than }.still_wants(due, due.plus(ms))
        };
        assert!(wanted(true, None, 1_000 * DAY_MS));
        assert!(wanted(false, None, DAY_MS - 600_001), "to the last millisecond of its day");
        assert!(!wanted(false, None, DAY_MS - 600_000));
        assert!(wanted(false, None, -DAY_MS), "what is still to come is not late");
        assert!(wanted(true, Some(5), 5) && !wanted(true, Some(5), 6));
        assert!(!wanted(false, Some(2 * DAY_MS), DAY_MS), "both must allow it");
        assert!(!wanted(false, Some(5), 6));
        assert_eq!(CatchUp::default(), CatchUp { publish_late: true, skip_older_than: None });
    }
}
