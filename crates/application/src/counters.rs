//! What this process, or this instance of a Worker, has done: for metrics.
//!
//! The store knows how things are, and says the same to everybody. How often something
//! happened on the way there, only whoever did it knows. So these counts begin at zero with
//! the process, and only grow; whoever reads them adds up those of all processes, and takes a
//! count that fell for a new beginning. What became of commits without an answer is counted
//! in [`Resolutions`](crate::Resolutions), because a run reports its own.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use fencepost_domain::{outcome::Outcome, time::UnixMillis};
use fencepost_ports::StoreCounts;

use crate::Site;

/// What came of looking into the cache for the answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheUse {
    /// It was there.
    Hit,
    /// It was not, and was made and put there.
    Miss,
    /// It was not, and was made; it is not worth keeping.
    NotKept,
    /// The cache failed, in looking or in keeping. The answer was made.
    Failed,
}

impl CacheUse {
    /// Every use.
    pub const ALL: [Self; 4] = [Self::Hit, Self::Miss, Self::NotKept, Self::Failed];

    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Miss => "miss",
            Self::NotKept => "not_kept",
            Self::Failed => "failed",
        }
    }
}

/// Up to how many milliseconds after its due instant an answer came out, by classes. The
/// last class has no end.
pub const LAG_BOUNDS_MS: [i64; 8] = [100, 1_000, 10_000, 60_000, 300_000, 3_600_000, 21_600_000, 86_400_000];

/// How late answers came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LagCounts {
    /// How many in each class of [`LAG_BOUNDS_MS`], and in the one without an end.
    pub classes: [u64; LAG_BOUNDS_MS.len() + 1],
    /// All lags together, in milliseconds.
    pub sum_ms: u64,
}

/// What happened since the process began. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    counts: Arc<Counts>,
    store: StoreCounts,
}

#[derive(Debug, Default)]
struct Counts {
    outcomes: [AtomicU64; Outcome::ALL.len()],
    cache: [AtomicU64; CacheUse::ALL.len()],
    lag_classes: [AtomicU64; LAG_BOUNDS_MS.len() + 1],
    lag_sum_ms: AtomicU64,
}

impl Counters {
    /// What the store was asked for: whoever asks it counts there.
    pub const fn store(&self) -> &StoreCounts {
        &self.store
    }

    /// An action on an item ended.
    pub(crate) fn outcome(&self, outcome: Outcome) {
        one_more(&Outcome::ALL, &self.counts.outcomes, outcome);
    }

    /// A request was answered.
    pub(crate) fn cache(&self, it: CacheUse) {
        one_more(&CacheUse::ALL, &self.counts.cache, it);
    }

    /// An answer came out. A store whose clock jumped back may have been early by it.
    pub(crate) fn published(&self, due_at: UnixMillis, committed_at: UnixMillis) {
        let lag_ms = committed_at.since(due_at).max(0);
        let class = LAG_BOUNDS_MS.iter().filter(|bound| lag_ms > **bound).count();
        for counter in self.counts.lag_classes.iter().skip(class).take(1) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        self.counts.lag_sum_ms.fetch_add(lag_ms.unsigned_abs(), Ordering::Relaxed);
    }

    /// How many actions ended how.
    pub fn outcomes(&self) -> [(Outcome, u64); Outcome::ALL.len()] {
        counts(Outcome::ALL, &self.counts.outcomes)
    }

    /// How many requests were answered from where.
    pub fn cache_uses(&self) -> [(CacheUse, u64); CacheUse::ALL.len()] {
        counts(CacheUse::ALL, &self.counts.cache)
    }

    /// How late answers came out.
    pub fn lags(&self) -> LagCounts {
        LagCounts {
            classes: self.counts.lag_classes.each_ref().map(|counter| counter.load(Ordering::Relaxed)),
            sum_ms: self.counts.lag_sum_ms.load(Ordering::Relaxed),
        }
    }
}

impl Site {
    /// The report of an action, counted.
    pub(crate) fn counted(&self, report: crate::ItemReport) -> crate::ItemReport {
        self.counters.outcome(report.outcome);
        report
    }
}

fn one_more<T: PartialEq>(all: &[T], counters: &[AtomicU64], it: T) {
    for (_, counter) in all.iter().zip(counters).filter(|(member, _)| **member == it) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

fn counts<T: Copy, const N: usize>(all: [T; N], counters: &[AtomicU64; N]) -> [(T, u64); N] {
    let mut counts = all.map(|member| (member, 0));
    for (count, counter) in counts.iter_mut().zip(counters) {
        count.1 = counter.load(Ordering::Relaxed);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_count_together() {
        let counters = Counters::default();
        counters.clone().outcome(Outcome::LeaseHeld);
        counters.outcome(Outcome::LeaseHeld);
        counters.cache(CacheUse::NotKept);
        for (outcome, count) in counters.outcomes() {
            assert_eq!(count, if outcome == Outcome::LeaseHeld { 2 } else { 0 }, "{outcome}");
        }
        assert_eq!(counters.cache_uses().map(|(_, count)| count), [0, 0, 1, 0]);
    }

    #[test]
    fn a_lag_is_in_the_class_whose_bound_it_does_not_exceed() {
        let due = UnixMillis::new(600_000);
        for (lag_ms, class, counted_ms) in [
            (-5, 0, 0),
            (0, 0, 0),
            (100, 0, 100),
            (101, 1, 101),
            (1_000, 1, 1_000),
            (86_400_000, 7, 86_400_000),
            (86_400_001, 8, 86_400_001),
        ] {
            let counters = Counters::default();
            counters.published(due, due.plus(lag_ms));
            let mut expected = LagCounts { sum_ms: counted_ms, ..LagCounts::default() };
            expected.classes[class] = 1;
            assert_eq!(counters.lags(), expected, "{lag_ms} ms");
        }
    }
}
