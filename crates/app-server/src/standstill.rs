//! What keeps due answers from coming out for longer than a moment: the day's quota is
//! used up, or the site is paused.
//!
//! The store does not call due items work while the site stands still, so nothing would
//! run, and nothing would be said: the answers would stay away without a line in the log.
//! So a standstill that a run meets with is told once when it begins and once when it is
//! over, in words that say what ends it.

use fencepost_application::RunReport;
use fencepost_domain::{
    outcome::Outcome,
    time::{UnixMillis, UtcDay},
};

/// Why nothing is published although something is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// As many pages were published on this day as may be.
    QuotaUsedUp(UtcDay),
    /// An operator paused the site.
    Paused,
}

/// Something to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// From now on.
    Begun(Reason),
    /// Up to now.
    Over(Reason),
}

/// The standstill that was told, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Standstill(Option<Reason>);

impl Standstill {
    /// Whether the site was paused when it was last heard of.
    pub(crate) fn is_pause(&self) -> bool {
        self.0 == Some(Reason::Paused)
    }

    /// Takes note of what a run met with. `for_due_work` tells whether it was begun because
    /// the store called something overdue.
    pub(crate) fn ran(&mut self, report: &RunReport, for_due_work: bool) -> Option<News> {
        let met = |outcome| report.counts.contains_key(&outcome);
        let reason = if met(Outcome::Paused) {
            Reason::Paused
        } else if met(Outcome::QuotaExhausted) {
            Reason::QuotaUsedUp(report.utc_day)
        } else if for_due_work || met(Outcome::Published) {
            return self.over();
        } else {
            // A run without any work says nothing about what would have become of it.
            return None;
        };
        (self.0.replace(reason) != Some(reason)).then_some(News::Begun(reason))
    }

    /// Takes note of the time: a quota lasts for a day.
    pub(crate) fn at(&mut self, now: UnixMillis) -> Option<News> {
        match self.0 {
            Some(Reason::QuotaUsedUp(day)) if day != now.utc_day() => self.over(),
            _ => None,
        }
    }

    /// Takes note that nothing stands in the way any more.
    pub(crate) fn over(&mut self) -> Option<News> {
        self.0.take().map(News::Over)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use fencepost_application::ImagesReport;
    use fencepost_domain::{id::RunId, revision::Revision};
    use fencepost_ports::Job;

    use super::*;

    fn at(text: &str) -> UnixMillis {
        text.parse().unwrap()
    }

    fn run(day: &str, outcomes: &[Outcome]) -> RunReport {
        let at = at(day);
        RunReport {
            run_id: RunId::new("run"),
            job: Job::Publish,
            utc_day: at.utc_day(),
            started_at: at,
            finished_at: at,
            revision: Revision::NONE,
            items: Vec::new(),
            counts: outcomes.iter().map(|outcome| (*outcome, 1)).collect::<BTreeMap<_, _>>(),
            ambiguous: BTreeMap::new(),
            images: ImagesReport::default(),
            interrupted: false,
            left: 0,
            deliveries: None,
            budget: None,
        }
    }

    const MONDAY: &str = "2026-11-30T12:00:00Z";
    const TUESDAY: &str = "2026-12-01T00:00:00Z";

    #[test]
    fn a_quota_that_ends_a_run_is_told_once_even_if_the_run_published_something() {
        let mut standstill = Standstill::default();
        let used_up = Reason::QuotaUsedUp(at(MONDAY).utc_day());
        let met = run(MONDAY, &[Outcome::Published, Outcome::QuotaExhausted]);
        assert_eq!(standstill.ran(&met, true), Some(News::Begun(used_up)));
        let met = run(MONDAY, &[Outcome::QuotaExhausted]);
        assert_eq!(standstill.ran(&met, false), None);
        assert_eq!(standstill.ran(&run(MONDAY, &[]), false), None, "a run without work says nothing");
        assert_eq!(standstill.at(at(MONDAY)), None);
        assert_eq!(standstill.at(at(TUESDAY)), Some(News::Over(used_up)));
        assert_eq!(standstill.at(at(TUESDAY)), None);
        let met = run(TUESDAY, &[Outcome::Published, Outcome::QuotaExhausted]);
        let used_up = Reason::QuotaUsedUp(at(TUESDAY).utc_day());
        assert_eq!(standstill.ran(&met, true), Some(News::Begun(used_up)));
        let raised = run(TUESDAY, &[Outcome::LeaseHeld]);
        assert_eq!(standstill.ran(&raised, true), Some(News::Over(used_up)), "the quota was raised");
    }

    #[test]
    fn a_pause_is_told_once_and_its_end_once() {
        let mut standstill = Standstill::default();
        assert_eq!(standstill.ran(&run(MONDAY, &[Outcome::Published]), true), None);
        let paused = run(MONDAY, &[Outcome::Paused]);
        assert_eq!(standstill.ran(&paused, false), Some(News::Begun(Reason::Paused)));
        assert!(standstill.is_pause());
        assert_eq!(standstill.ran(&paused, false), None);
        assert_eq!(standstill.at(at(TUESDAY)), None, "a pause ends on no day of its own");
        assert_eq!(standstill.over(), Some(News::Over(Reason::Paused)));
        assert_eq!((standstill.over(), standstill.is_pause()), (None, false));
    }
}
