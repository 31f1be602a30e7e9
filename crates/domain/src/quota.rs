//! How many pages may be published on one UTC day.
//!
//! A quota turns a flood (a restored backlog, a wrong import) into a trickle that a
//! person can stop. The day's row keeps the highest setting that it was published under:
//! whoever raises the setting lets more out today, and two deployments with different
//! settings agree on the higher one. A person may set the limit of the day by hand, higher
//! or lower; then that holds for every deployment, whatever its setting.

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
    /// The highest limit of a setting that pages of the day were published under; at least so
    /// many as were published, whoever allowed it.
    pub quota: i64,
    /// The limit that a person has set for the day.
    pub set_quota: Option<i64>,
}

impl DailyQuota {
    /// The count of a day that has no row yet.
    pub const fn fresh(quota: i64) -> Self {
        Self { published: 0, quota, set_quota: None }
    }

    /// The day's count under a setting: what a person has set holds, or else the higher limit.
    #[must_use]
    pub fn under(row: Option<Self>, setting: i64) -> Self {
        row.map_or(Self::fresh(setting), |row| Self {
            quota: row.set_quota.unwrap_or_else(|| row.quota.max(setting)),
            ..row
        })
    }

    /// The day's row after a person has set its limit, or has left it to the setting again.
    #[must_use]
    pub fn set(row: Option<Self>, set_quota: Option<i64>) -> Self {
        Self { set_quota, ..row.unwrap_or(Self::fresh(0)) }
    }

    /// The day's row after so many more pages were published under a setting.
    #[must_use]
    pub fn after(row: Option<Self>, pages: i64, setting: i64) -> Option<Self> {
        if pages == 0 {
            return row;
        }
        let day = Self::under(row, setting);
        let published = day.published + pages;
        // What a person has set is no limit of the settings, to which the day may be left again.
        let limit = if day.set_quota.is_some() { published } else { day.quota };
        Some(Self { published, quota: row.map_or(limit, |row| row.quota.max(limit)), ..day })
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
        let row = DailyQuota { published: 7, quota: 10, set_quota: None };
        assert_eq!(DailyQuota::under(None, 5), DailyQuota { published: 0, quota: 5, set_quota: None });
        assert_eq!(DailyQuota::under(Some(row), 5), row);
        assert_eq!(DailyQuota::under(Some(row), 20), DailyQuota { published: 7, quota: 20, set_quota: None });
    }

    #[test]
    fn each_page_counts_and_the_limit_that_it_was_published_under_stays() {
        let row = DailyQuota { published: 7, quota: 10, set_quota: None };
        assert_eq!(DailyQuota::after(Some(row), 0, 20), Some(row));
        assert_eq!(DailyQuota::after(None, 0, 20), None);
        assert_eq!(
            DailyQuota::after(Some(row), 2, 20),
            Some(DailyQuota { published: 9, quota: 20, set_quota: None })
        );
        assert_eq!(
            DailyQuota::after(Some(row), 1, 5),
            Some(DailyQuota { published: 8, quota: 10, set_quota: None })
        );
        assert_eq!(
            DailyQuota::after(None, 3, 20),
            Some(DailyQuota { published: 3, quota: 20, set_quota: None })
        );
    }

    #[test]
    fn the_last_page_of_a_day_is_the_one_that_reaches_the_limit() {
        let has_left = |published| DailyQuota { published, quota: 10, set_quota: None }.has_left();
        assert_eq!([0, 9, 10, 11].map(has_left), [true, true, false, false]);
        assert!(!DailyQuota::fresh(0).has_left());
    }

    #[test]
    fn what_a_person_has_set_holds_over_row_and_setting() {
        let row = DailyQuota { published: 7, quota: 10, set_quota: None };
        let limit = |set, setting| DailyQuota::under(Some(DailyQuota::set(Some(row), set)), setting).quota;
        assert_eq!([limit(Some(8), 20), limit(Some(30), 20), limit(Some(0), 20)], [8, 30, 0]);
        assert_eq!([limit(None, 20), limit(None, 5)], [20, 10]);
        let set = DailyQuota { published: 0, quota: 0, set_quota: Some(3) };
        assert_eq!(DailyQuota::set(None, Some(3)), set);
        assert_eq!(DailyQuota::after(Some(set), 1, 20), Some(DailyQuota { published: 1, quota: 1, ..set }));
        let lowered = DailyQuota::set(Some(row), Some(9));
        assert_eq!(DailyQuota::after(Some(lowered), 1, 5), Some(DailyQuota { published: 8, ..lowered }));
        assert!(!DailyQuota::under(Some(DailyQuota::set(Some(row), Some(7))), 20).has_left());
    }

    #[test]
    fn a_day_that_is_left_to_the_settings_again_has_their_limit() {
        let wrong = DailyQuota::after(Some(DailyQuota::set(None, Some(50_000))), 3, 20);
        let again = DailyQuota::under(Some(DailyQuota::set(wrong, None)), 20);
        assert_eq!(again, DailyQuota { published: 3, quota: 20, set_quota: None });
        let used_up = DailyQuota::after(Some(DailyQuota::set(None, Some(30))), 25, 20);
        assert!(!DailyQuota::under(Some(DailyQuota::set(used_up, None)), 20).has_left());
    }
}
