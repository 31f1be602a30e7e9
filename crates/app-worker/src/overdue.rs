//! What is done when a reader finds out that the crons have failed.
//!
//! A cron can be late, be lost, or be forgotten in a deployment, and a Worker has nothing
//! else that wakes it. But it has readers, and each of their requests reads the site's
//! state anyway. If that says that an answer is due and not out, a run is started behind
//! the request's back. The reader waits for nothing; a later one finds the page.
//!
//! A popular site has many readers in the second between the due instant and the cron's
//! commit, and an answer that no run can publish stays overdue for all of them. So an
//! instance starts one run and then waits, longer after every run that published nothing.
//! An hour is the longest, since that is the pace of the crons. Waiting is measured by the
//! store's clock, which the request has read; instances need not agree, because any number
//! of runs at once is safe.
//!
//! Reader and run are one invocation, and share its calls. The run gets all but a few, as a
//! budget of its own: it cannot take from the reader what a page still needs.

use std::sync::{Mutex, PoisonError};

use fencepost_application::{Site, Stop};
use fencepost_domain::{outcome::Outcome, time::UnixMillis};
use fencepost_ports::{Budget, Job};

use crate::crons::tell;

/// The wait after the first run, in milliseconds: as long as the platform lets it go on.
const FIRST_WAIT_MS: i64 = 30_000;
/// The longest wait, in milliseconds.
const LAST_WAIT_MS: i64 = 3_600_000;
/// How many calls of the invocation are the reader's, before the run begins and after it.
pub(crate) const FOR_THE_READER: u32 = 10;

/// This instance's.
static PATIENCE: Mutex<Patience> = Mutex::new(Patience::new());

/// Whether a run may be started at `now`. Whoever is told that it may, starts it.
pub(crate) fn may_run(now: UnixMillis) -> bool {
    with_patience(|patience| patience.may_run(now))
}

/// What a run may spend of a reader's invocation.
pub(crate) fn share_of(budget: &Budget) -> Budget {
    budget.hand_over_all_but(FOR_THE_READER.saturating_sub(budget.spent()))
}

/// A run of the job that should have been run.
pub(crate) async fn run(site: Site) {
    tracing::warn!(
        "a reader found an answer overdue; publishing. Right after its instant that is usual; at any other time, look whether the crons fire"
    );
    match site.run_job(Job::Publish, &Stop::default()).await {
        Ok(report) => {
            if report.counts.contains_key(&Outcome::Published) {
                with_patience(Patience::renew);
            }
            tell(&report);
        }
        Err(error) => tracing::error!("publishing what is overdue failed: {error}"),
    }
}

fn with_patience<T>(act: impl FnOnce(&mut Patience) -> T) -> T {
    act(&mut PATIENCE.lock().unwrap_or_else(PoisonError::into_inner))
}

#[derive(Debug)]
struct Patience {
    last: Option<UnixMillis>,
    wait_ms: i64,
}

impl Patience {
    const fn new() -> Self {
        Self { last: None, wait_ms: FIRST_WAIT_MS }
    }

    fn may_run(&mut self, now: UnixMillis) -> bool {
        match self.last {
            None => {}
            // A clock that jumped back says nothing of how long it was. Requests that overtake
            // each other see it go back as well, by no more than they take.
            Some(last) if last.since(now) > FIRST_WAIT_MS => {}
            Some(last) if now.since(last) < self.wait_ms => return false,
            Some(_) => self.wait_ms = (self.wait_ms * 2).min(LAST_WAIT_MS),
        }
        self.last = Some(now);
        true
    }

    /// A run got something done.
    fn renew(&mut self) {
        self.wait_ms = FIRST_WAIT_MS;
    }
}

#[cfg(test)]
mod tests {
    use fencepost_application::cost::LEAST_BUDGET;

    use super::*;

    /// How long an instance waits between two runs while requests come every second.
    fn waits(patience: &mut Patience, from_s: i64, count: usize) -> Vec<i64> {
        let runs: Vec<_> =
            (from_s..).filter(|s| patience.may_run(UnixMillis::new(s * 1_000))).take(count + 1).collect();
        runs.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    #[test]
    fn an_instance_waits_longer_after_every_run_that_published_nothing() {
        let mut patience = Patience::new();
        assert_eq!(waits(&mut patience, 0, 9), [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
    }

    #[test]
    fn a_run_takes_nothing_from_the_reader_and_has_enough_for_an_item_all_the_same() {
        for (limit, spent, share) in [(50, 1, 40), (50, 3, 40), (42, 2, LEAST_BUDGET), (1_000, 10, 990)] {
            let page = Budget::of(limit);
            page.spend(spent).unwrap();
            let run = share_of(&page);
            assert_eq!((run.limit(), page.left()), (Some(share), Some(FOR_THE_READER - spent)));
        }
        let page = Budget::of(50);
        page.spend(13).unwrap();
        assert_eq!((share_of(&page).limit(), page.left()), (Some(37), Some(0)), "a page that needed more");
    }

    #[test]
    fn patience_is_renewed_by_success_and_not_held_by_a_clock_that_jumped_back() {
        let mut patience = Patience::new();
        assert_eq!(waits(&mut patience, 0, 2), [30, 60]);
        patience.renew();
        assert!(!patience.may_run(UnixMillis::new(119_999)));
        assert!(patience.may_run(UnixMillis::new(120_000)));
        assert!(!patience.may_run(UnixMillis::new(119_990)), "a request that was overtaken");
        assert!(patience.may_run(UnixMillis::new(0)));
        assert!(!patience.may_run(UnixMillis::new(1)));
    }
}
