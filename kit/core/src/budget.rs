//! How many calls one invocation may make.
//!
//! A Worker on Cloudflare's free plan may make fifty queries per invocation. Whether the
//! statements of a batch count one by one, and whether the calls of R2, of the cache and of
//! the web come out of the same fifty, is not documented. An invocation that makes one too
//! many is cut off wherever it stands. So everything counts, each statement and each call
//! as one: whoever counts too much does a thing less in this run, and whoever counts
//! too little leaves one in hand and a run without an end.
//!
//! There are two limits in it. The *hard* one is [`Budget::spend`], which is asked right
//! before anything is sent, by whatever sends it, and refuses. No retry, no redirect and no
//! forgotten check gets around it. But a program that is refused everything can no longer
//! clean up. So whoever begins something *keeps* the calls that its end will take
//! ([`Budget::keep`]): until they are let go of, they are refused to everything else, to
//! the retries of a flaky day above all. With [`Budget::affords`] one looks ahead, and
//! begins nothing that would not be finished; that is a matter of not wasting calls, and
//! nothing breaks where it guesses wrong.
//!
//! ```
//! use fencepost_core::budget::Budget;
//!
//! let budget = Budget::of(50);
//! // Whoever begins something keeps what its end will take: here, releasing a lease.
//! let for_the_end = budget.keep(2);
//! while budget.affords(12) {
//!     budget.spend(12)?;
//! }
//! assert_eq!((budget.spent(), budget.left()), (48, Some(2)));
//! assert!(budget.spend(1).is_err());
//! drop(for_the_end);
//! budget.spend(2)?;
//! # Ok::<(), fencepost_core::budget::Exhausted>(())
//! ```

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering::SeqCst},
};

/// The calls of one invocation. Its clones count together.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: Option<u32>,
    calls: Arc<Calls>,
}

#[derive(Debug, Default)]
struct Calls {
    spent: AtomicU32,
    kept: AtomicU32,
}

/// A call that the budget does not allow. It was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "this invocation has made {spent} of its {limit} calls, keeps {kept} for its end, and may not make \
     {wanted} more; a later one goes on"
)]
pub struct Exhausted {
    /// How many calls were asked for.
    pub wanted: u32,
    /// How many were made.
    pub spent: u32,
    /// How many are kept.
    pub kept: u32,
    /// How many there are in all.
    pub limit: u32,
}

impl Budget {
    /// As many calls as anybody likes, which are counted all the same.
    pub fn unlimited() -> Self {
        Self { limit: None, calls: Arc::default() }
    }

    /// So many calls.
    pub fn of(limit: u32) -> Self {
        Self { limit: Some(limit), calls: Arc::default() }
    }

    /// How many calls there are in all; `None` without a limit.
    pub fn limit(&self) -> Option<u32> {
        self.limit
    }

    /// How many calls were made, and handed over.
    pub fn spent(&self) -> u32 {
        self.calls.spent.load(SeqCst)
    }

    /// How many calls are left, those that are kept among them; `None` without a limit.
    pub fn left(&self) -> Option<u32> {
        self.limit.map(|limit| limit.saturating_sub(self.spent()))
    }

    /// Whether so many calls may be made without touching what is kept.
    pub fn affords(&self, calls: u32) -> bool {
        self.left().is_none_or(|left| self.kept().saturating_add(calls) <= left)
    }

    /// Counts calls that are about to be made.
    ///
    /// # Errors
    /// When they are not all affordable. None of them is counted, and none may be made.
    pub fn spend(&self, calls: u32) -> Result<(), Exhausted> {
        let kept = self.kept();
        let count = |spent: u32| {
            let after = spent.saturating_add(calls);
            let fits = |limit| after.saturating_add(kept) <= limit;
            self.limit.is_none_or(fits).then_some(after)
        };
        match (self.calls.spent.fetch_update(SeqCst, SeqCst, count), self.limit) {
            (Err(spent), Some(limit)) => Err(Exhausted { wanted: calls, spent, kept, limit }),
            _ => Ok(()),
        }
    }

    /// Keeps so many calls, besides those that are kept already, until the guard is dropped.
    pub fn keep(&self, calls: u32) -> Kept {
        self.calls.kept.fetch_add(calls, SeqCst);
        Kept { calls: self.calls.clone(), change: Change::More(calls) }
    }

    /// Lets go of all but so many of the calls that are kept, until the guard is dropped.
    pub fn keep_only(&self, calls: u32) -> Kept {
        let fewer = self.kept().saturating_sub(calls);
        self.calls.kept.fetch_sub(fewer, SeqCst);
        Kept { calls: self.calls.clone(), change: Change::Fewer(fewer) }
    }

    /// Hands all calls but so many over to a budget of their own, for something that goes on
    /// beside the rest of the invocation. Here they count as spent, and neither of the two
    /// can take from the other.
    #[must_use]
    pub fn hand_over_all_but(&self, calls: u32) -> Self {
        let Some(left) = self.left() else { return Self::unlimited() };
        let handed_over = left.saturating_sub(self.kept().saturating_add(calls));
        match self.spend(handed_over) {
            Ok(()) => Self::of(handed_over),
            Err(_) => Self::of(0),
        }
    }

    fn kept(&self) -> u32 {
        self.calls.kept.load(SeqCst)
    }
}

/// As long as it lives, other calls are kept than before.
#[derive(Debug)]
#[must_use = "calls are kept until this is dropped"]
pub struct Kept {
    calls: Arc<Calls>,
    change: Change,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    More(u32),
    Fewer(u32),
}

impl Drop for Kept {
    fn drop(&mut self) {
        match self.change {
            Change::More(calls) => self.calls.kept.fetch_sub(calls, SeqCst),
            Change::Fewer(calls) => self.calls.kept.fetch_add(calls, SeqCst),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_over_the_limit_is_refused_and_not_counted() {
        let budget = Budget::of(50);
        assert_eq!(budget.spend(47), Ok(()));
        let refused = Exhausted { wanted: 4, spent: 47, kept: 0, limit: 50 };
        assert_eq!(budget.spend(4), Err(refused));
        assert_eq!((budget.spent(), budget.left()), (47, Some(3)));
        assert_eq!(budget.spend(3), Ok(()), "to the very last");
        assert!(!budget.affords(1) && budget.affords(0));
        assert_eq!(budget.spend(u32::MAX).map_err(|error| error.spent), Err(50));
    }

    #[test]
    fn clones_count_together() {
        let budget = Budget::of(2);
        let other = budget.clone();
        assert_eq!((budget.spend(1), other.spend(1)), (Ok(()), Ok(())));
        assert!(budget.spend(1).is_err() && other.spend(1).is_err());
    }

    #[test]
    fn many_threads_together_do_not_go_over_the_limit() {
        let budget = Budget::of(1_000);
        let spend = || (0..500).filter(|_| budget.spend(3).is_ok()).count();
        let made: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(spend)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!((made, budget.spent()), (333, 999));
    }

    #[test]
    fn without_a_limit_calls_are_counted_and_never_refused() {
        let budget = Budget::unlimited();
        let _kept = budget.keep(7);
        assert_eq!((budget.spend(u32::MAX), budget.spend(1)), (Ok(()), Ok(())));
        assert_eq!((budget.limit(), budget.left(), budget.affords(u32::MAX)), (None, None, true));
    }

    #[test]
    fn what_is_kept_is_refused_until_it_is_let_go_of() {
        let budget = Budget::of(10);
        let for_the_end = budget.keep(3);
        let for_the_middle = budget.keep(4);
        assert!(budget.affords(3) && !budget.affords(4));
        assert_eq!(budget.spend(4), Err(Exhausted { wanted: 4, spent: 0, kept: 7, limit: 10 }));
        assert_eq!(budget.spend(3), Ok(()));
        drop(for_the_middle);
        assert_eq!((budget.spend(4), budget.spend(1).is_err()), (Ok(()), true));
        drop(for_the_end);
        assert_eq!((budget.spend(3), budget.left()), (Ok(()), Some(0)));
    }

    #[test]
    fn a_part_of_what_is_kept_can_be_used_before_the_end() {
        let budget = Budget::of(5);
        let for_the_end = budget.keep(5);
        {
            let _cleaning_up = budget.keep_only(2);
            assert_eq!((budget.spend(3), budget.spend(1).is_err()), (Ok(()), true));
        }
        assert!(!budget.affords(0), "more is kept again than there is");
        drop(for_the_end);
        assert_eq!(budget.spend(2), Ok(()));
        let _nothing_was_kept = budget.keep_only(2);
        assert!(budget.affords(0), "nothing is kept that was not");
    }

    #[test]
    fn a_share_that_was_handed_over_is_out_of_each_others_reach() {
        let page = Budget::of(50);
        page.spend(1).unwrap();
        let run = page.hand_over_all_but(9);
        assert_eq!((run.limit(), page.left()), (Some(40), Some(9)));
        assert!(page.spend(10).is_err() && run.spend(41).is_err());
        assert_eq!((page.spend(9), run.spend(40)), (Ok(()), Ok(())));
        assert_eq!(page.hand_over_all_but(9).limit(), Some(0));
        assert_eq!(Budget::unlimited().hand_over_all_but(9).limit(), None);
    }
}
