//! Stretches of time in which an answer changes only if something is written.
//!
//! An embargo ends, a sale closes, a day is over: at such an instant some address answers
//! differently, and no statement runs that could raise a revision. A copy that was made
//! before it must not be used after it. A lifetime alone does not see to that, because
//! caches are known to keep things for longer than they were told.
//!
//! So time is cut at every such instant, and at every midnight (UTC). The stretch in which an
//! answer was made is part of the name that it is kept under ([`crate::cache_key`]), and
//! its lifetime ends with the stretch.

use crate::time::UnixMillis;

/// What is true for less than this is not worth keeping, in milliseconds.
pub const SHORTEST_LIFETIME_MS: i64 = 1_000;

/// A stretch of time in which no answer changes unless something is written.
///
/// ```
/// use fencepost_core::{stretch::Stretch, time::UnixMillis};
///
/// let now: UnixMillis = "2026-11-29T17:58:00Z".parse()?;
/// let sale_ends: UnixMillis = "2026-11-29T18:00:00Z".parse()?;
/// let stretch = Stretch::around(now, None, Some(sale_ends));
/// assert_eq!(stretch.since.to_string(), "2026-11-29T00:00:00Z");
/// assert!(!stretch.contains(sale_ends));
/// // Kept for five minutes, but not beyond the end of the sale.
/// assert_eq!(stretch.fresh_until(now, 300_000), Some(sale_ends));
/// # Ok::<(), fencepost_core::time::InvalidInstant>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Its first instant: the visibility epoch.
    pub since: UnixMillis,
    /// The first instant after it.
    pub until: UnixMillis,
}

impl Stretch {
    /// The stretch around `now`, between the instants of change next to it. `last` may be
    /// `now` itself.
    pub fn around(now: UnixMillis, last: Option<UnixMillis>, next: Option<UnixMillis>) -> Self {
        let day = now.utc_day();
        let (midnight, next_midnight) = (day.start(), day.next().start());
        Self {
            since: last.map_or(midnight, |last| last.max(midnight)),
            until: next.map_or(next_midnight, |next| next.min(next_midnight)),
        }
    }

    /// Whether the stretch holds this instant.
    pub fn contains(self, instant: UnixMillis) -> bool {
        self.since <= instant && instant < self.until
    }

    /// When an answer made at `now` is to be forgotten: after `longest_ms` milliseconds, and with
    /// the stretch. `None` if that is too soon for keeping it at all: less than
    /// [`SHORTEST_LIFETIME_MS`] away.
    pub fn fresh_until(self, now: UnixMillis, longest_ms: i64) -> Option<UnixMillis> {
        let fresh_until = now.plus(longest_ms).min(self.until);
        (fresh_until.since(now) >= SHORTEST_LIFETIME_MS).then_some(fresh_until)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::time::DAY_MS;

    const fn at(ms: i64) -> UnixMillis {
        UnixMillis::new(ms)
    }

    #[test]
    fn a_stretch_ends_at_an_instant_of_change_or_at_midnight() {
        let check = |now, last: Option<i64>, next: Option<i64>, since, until| {
            let stretch = Stretch::around(at(now), last.map(at), next.map(at));
            assert_eq!((stretch.since.get(), stretch.until.get()), (since, until), "at {now}");
        };
        check(5, None, None, 0, DAY_MS);
        check(0, None, None, 0, DAY_MS);
        check(DAY_MS - 1, None, None, 0, DAY_MS);
        check(DAY_MS, None, None, DAY_MS, 2 * DAY_MS);
        check(700_000, Some(600_000), Some(DAY_MS + 600_000), 600_000, DAY_MS);
        check(600_000, Some(600_000), None, 600_000, DAY_MS);
        check(599_999, Some(-5), Some(600_000), 0, 600_000);
    }

    #[test]
    fn a_stretch_holds_its_first_instant_and_not_the_one_after_it() {
        let stretch = Stretch { since: at(600_000), until: at(DAY_MS) };
        for (instant, held) in
            [(599_999, false), (600_000, true), (DAY_MS - 1, true), (DAY_MS, false), (DAY_MS + 1, false)]
        {
            assert_eq!(stretch.contains(at(instant)), held, "at {instant}");
        }
    }

    #[test]
    fn nothing_is_kept_across_an_instant_nor_for_less_than_a_second() {
        let check = |now, longest_ms, expected: Option<i64>| {
            let stretch = Stretch { since: at(0), until: at(600_000) };
            assert_eq!(stretch.fresh_until(at(now), longest_ms), expected.map(at), "at {now}");
        };
        check(0, 300_000, Some(300_000));
        check(400_000, 300_000, Some(600_000));
        check(599_000, 300_000, Some(600_000));
        check(599_001, 300_000, None);
        check(0, 999, None);
    }

    proptest! {
        /// The calendar as the store reads it: the neighbours of `now` among all instants.
        #[test]
        fn a_stretch_is_the_same_for_all_of_its_instants(
            mut instants in prop::collection::vec(-3 * DAY_MS..6 * DAY_MS, 0..12),
            now in -2 * DAY_MS..5 * DAY_MS,
            other in -2 * DAY_MS..5 * DAY_MS,
        ) {
            instants.sort_unstable();
            let around = |now| Stretch::around(
                at(now),
                instants.iter().rev().find(|instant| **instant <= now).copied().map(at),
                instants.iter().find(|instant| **instant > now).copied().map(at),
            );
            let stretch = around(now);
            prop_assert!(stretch.contains(at(now)));
            prop_assert_eq!(stretch.contains(at(other)), around(other) == stretch);
            let crossed = instants.iter().any(|instant| stretch.since.get() < *instant && *instant < stretch.until.get());
            prop_assert!(!crossed);
            if let Some(fresh_until) = stretch.fresh_until(at(now), 300_000) {
                prop_assert!(fresh_until <= stretch.until && fresh_until.since(at(now)) <= 300_000);
            }
        }
    }
}
