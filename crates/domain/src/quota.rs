//! How many pages may be published on one UTC day.
//!
//! A quota turns a flood (a restored backlog, a wrong import) into a trickle that a
//! person can stop. The day's row keeps the highest limit that it was published under:
//! whoever raises the setting lets more out today, and two deployments with different
//! settings agree on the higher one.

use serde::{Deserialize, Serialize};

/// The quota of a day unless configured otherwise.
pub const DEFAULT_DAILY_QUOTA: i64 = 100;
/// The highest quota that can be configured.
pub const MAX_DAILY_QUOTA: i64 = 1_000_000;

/// One day's count, and the limit that it was begun with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DailyQuota {
    /// Pages published so far.
    pub published: i64,
    /// The highest limit that pages of the day were published under.
    pub quota: i64,
}

impl DailyQuota {
    /// The count of a day that has no row yet.
    pub const fn fresh(quota: i64) -> Self {
        Self { published: 0, quota }
    }

    /// The day's count under a setting: the higher limit holds.
    #[must_use]
    pub fn under(row: Option<Self>, setting: i64) -> Self {
        row.map_or(Self::fresh(setting), |row| Self { quota: row.quota.max(setting), ..row })
    }

    /// The day's row after so many more pages were published under a setting.
    #[must_use]
    pub fn after(row: Option<Self>, pages: i64, setting: i64) -> Option<Self> {
        if pages == 0 {
            return row;
        }
        let day = Self::under(row, setting);
        Some(Self { published: day.published + pages, ..day })
    }

    /// Whether one more page may be published.
    pub const fn has_left(self) -> bool {
        self.published < self.quota
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_higher_limit_holds_and_the_count_stays() {
        let row = DailyQuota { published: 7, quota: 10 };
        assert_eq!(DailyQuota::under(None, 5), DailyQuota { published: 0, quota: 5 });
        assert_eq!(DailyQuota::under(Some(row), 5), row);
        assert_eq!(DailyQuota::under(Some(row), 20), DailyQuota { published: 7, quota: 20 });
    }

    #[test]
    fn each_page_counts_and_the_limit_that_it_was_published_under_stays() {
        let row = DailyQuota { published: 7, quota: 10 };
        assert_eq!(DailyQuota::after(Some(row), 0, 20), Some(row));
        assert_eq!(DailyQuota::after(None, 0, 20), None);
        assert_eq!(DailyQuota::after(Some(row), 2, 20), Some(DailyQuota { published: 9, quota: 20 }));
        assert_eq!(DailyQuota::after(Some(row), 1, 5), Some(DailyQuota { published: 8, quota: 10 }));
        assert_eq!(DailyQuota::after(None, 3, 20), Some(DailyQuota { published: 3, quota: 20 }));
    }

    #[test]
    fn the_last_page_of_a_day_is_the_one_that_reaches_the_limit() {
        let has_left = |published| DailyQuota { published, quota: 10 }.has_left();
        assert_eq!([0, 9, 10, 11].map(has_left), [true, true, false, false]);
        assert!(!DailyQuota::fresh(0).has_left());
    }
}
