//! When a job runs.
//!
//! Three reasons: two crons, and the ledger's own next instant, which brings an answer
//! out in the millisecond in which it is due and not at the next full minute. All three
//! are read off the *store's* clock. The host's clock decides nothing; it is not even
//! read: a loop asks the store what time it is, and waits at most [`POLL_MS`] before it
//! asks again, because another process may import, reschedule or die in the meantime.
//!
//! A cron library would bring a parser, a calendar and a clock. These two schedules are
//! fixed and in UTC: each is a period and an offset, and what is left of a calendar is
//! one division.
//!
//! Due work that a run did not move is still there afterwards. Running again at once
//! would be a busy loop, so the agenda backs off, beginning with 0.1 s, and forgets that
//! as soon as something else becomes due or a run gets something done. A standstill (a
//! pause, a quota that is used up) is no such case: the store does not call it work, and
//! calls it work again in the moment in which it ends.
//!
//! All of this is a pure function of what the store said, so it is tested without
//! waiting.

use fencepost_application::RunReport;
use fencepost_domain::{
    outcome::Outcome,
    time::{DAY_MS, UnixMillis},
};
use fencepost_ports::{Job, Wake};

/// How long the store is left unasked at most, in milliseconds.
const POLL_MS: i64 = 1_000;
/// The first wait after a run without effect, in milliseconds; each further one is
/// twice as long.
const FIRST_BACKOFF_MS: i64 = 100;
/// The longest wait after runs without effect, in milliseconds.
const LAST_BACKOFF_MS: i64 = 30_000;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// The crons of the Worker, spelled as what they mean: `10 0 * * *` and `25 * * * *`.
const CRONS: [Cron; 2] = [
    Cron { job: Job::Publish, every_ms: DAY_MS, offset_ms: 10 * MINUTE_MS },
    Cron { job: Job::Compensate, every_ms: HOUR_MS, offset_ms: 25 * MINUTE_MS },
];

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Run this job, and report back with [`Agenda::ran`].
    Run(Job),
    /// Wait as many milliseconds, then ask the store again.
    Wait(u64),
}

/// What is to run, and when.
#[derive(Debug)]
pub(crate) struct Agenda {
    /// The job that the start or a cron asked for and that has not run to its end yet.
    owed: Option<Job>,
    /// The last instant at which the crons were looked at.
    looked_at: Option<UnixMillis>,
    /// The next instant that the store has told, until it has passed.
    awaited: Option<UnixMillis>,
    /// The overdue instant for which the job in hand was begun.
    begun_for: Option<UnixMillis>,
    /// The overdue instant that runs did not move.
    stuck: Option<Stuck>,
}

#[derive(Clone, Copy, Debug)]
struct Stuck {
    at: UnixMillis,
    since: UnixMillis,
    backoff_ms: i64,
}

impl Agenda {
    /// The agenda of a process that has just started: it catches up first.
    pub(crate) fn new() -> Self {
        Self { owed: Some(Job::Compensate), looked_at: None, awaited: None, begun_for: None, stuck: None }
    }

    /// What to do, given what the store has just said.
    pub(crate) fn next(&mut self, wake: Wake) -> Step {
        self.look_at_crons(wake.now);
        if self.awaited.is_some_and(|at| at <= wake.now) {
            // Something new is due behind what runs did not move.
            self.stuck = None;
        }
        self.awaited = wake.upcoming;
        self.begun_for = wake.overdue;
        if let Some(job) = self.owed {
            return Step::Run(job);
        }
        let rest_ms = match (wake.overdue, self.stuck) {
            (Some(at), Some(stuck)) if stuck.at == at => stuck.remaining_ms(wake.now),
            (Some(_), _) => 0,
            (None, _) => POLL_MS,
        };
        if rest_ms == 0 {
            return Step::Run(Job::Publish);
        }
        let until_upcoming_ms = wake.upcoming.map_or(POLL_MS, |at| at.since(wake.now));
        Step::Wait(rest_ms.min(until_upcoming_ms).clamp(1, POLL_MS).unsigned_abs())
    }

    /// Takes note of what the run led to. Tells whether it left due work that earlier
    /// runs had not left already.
    pub(crate) fn ran(&mut self, report: &RunReport) -> bool {
        self.owed = None;
        let moved = report.counts.contains_key(&Outcome::Published);
        let before = self.stuck;
        self.stuck = self.begun_for.filter(|_| !moved).map(|at| Stuck {
            at,
            since: report.finished_at,
            backoff_ms: match before {
                Some(stuck) if stuck.at == at => (stuck.backoff_ms * 2).min(LAST_BACKOFF_MS),
                _ => FIRST_BACKOFF_MS,
            },
        });
        self.stuck.is_some_and(|stuck| before.is_none_or(|before| before.at != stuck.at))
    }

    fn look_at_crons(&mut self, now: UnixMillis) {
        // A clock that jumped back fires nothing twice: it starts over from where it is.
        let since = self.looked_at.replace(now).unwrap_or(now);
        for cron in CRONS {
            if cron.last_fired_by(now) > since {
                // Both do the same work, so after a long sleep one of them is enough.
                self.owed = self.owed.or(Some(cron.job));
            }
        }
    }
}

impl Stuck {
    fn remaining_ms(self, now: UnixMillis) -> i64 {
        match now.since(self.since) {
            waited @ 0.. => (self.backoff_ms - waited).max(0),
            // The clock jumped back: nothing can be said of how long it was.
            _ => 0,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Cron {
    job: Job,
    every_ms: i64,
    offset_ms: i64,
}

impl Cron {
    /// The last instant not after `now` at which it fires.
    fn last_fired_by(self, now: UnixMillis) -> UnixMillis {
        let into_period = now.plus(-self.offset_ms).get().rem_euclid(self.every_ms);
        now.plus(-into_period)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use fencepost_application::ImagesReport;
    use fencepost_domain::{id::RunId, revision::Revision};

    use super::*;

    fn at(text: &str) -> UnixMillis {
        text.parse().unwrap()
    }

    /// What the store says of one item that is due at `due`.
    fn wake(now: &str, due: Option<&str>) -> Wake {
        let (now, due) = (at(now), due.map(at));
        Wake { now, overdue: due.filter(|at| *at <= now), upcoming: due.filter(|at| *at > now) }
    }

    fn report(job: Job, finished_at: UnixMillis, outcome: Option<Outcome>) -> RunReport {
        RunReport {
            run_id: RunId::new("run"),
            job,
            utc_day: finished_at.utc_day(),
            started_at: finished_at,
            finished_at,
            revision: Revision::NONE,
            items: Vec::new(),
            counts: outcome.into_iter().map(|outcome| (outcome, 1)).collect::<BTreeMap<_, _>>(),
            ambiguous: BTreeMap::new(),
            images: ImagesReport::default(),
            interrupted: false,
            left: 0,
            deliveries: None,
            budget: None,
        }
    }

    /// An agenda that has caught up at `now`.
    fn caught_up(now: &str) -> Agenda {
        let mut agenda = Agenda::new();
        assert_eq!(agenda.next(wake(now, None)), Step::Run(Job::Compensate));
        agenda.ran(&report(Job::Compensate, at(now), None));
        agenda
    }

    #[test]
    fn a_process_catches_up_first_and_until_it_succeeds() {
        let mut agenda = Agenda::new();
        for _ in 0..2 {
            assert_eq!(agenda.next(wake("2026-11-29T12:00:00Z", None)), Step::Run(Job::Compensate));
        }
        agenda.ran(&report(Job::Compensate, at("2026-11-29T12:00:00Z"), None));
        assert_eq!(agenda.next(wake("2026-11-29T12:00:00Z", None)), Step::Wait(1_000));
    }

    #[test]
    fn crons_fire_once_by_the_clock_of_the_store() {
        let check = |before: &str, after: &str, expected: Step| {
            let mut agenda = caught_up(before);
            let step = agenda.next(wake(after, None));
            assert_eq!(step, expected, "from {before} to {after}");
            if let Step::Run(job) = step {
                agenda.ran(&report(job, at(after), None));
                assert_eq!(agenda.next(wake(after, None)), Step::Wait(1_000), "again at {after}");
            }
        };
        let idle = Step::Wait(1_000);
        check("2026-11-29T00:09:59Z", "2026-11-29T00:09:59.999Z", idle);
        check("2026-11-29T00:09:59Z", "2026-11-29T00:10:00Z", Step::Run(Job::Publish));
        check("2026-11-29T00:10:00Z", "2026-11-29T00:10:01Z", idle);
        check("2026-11-29T00:24:59Z", "2026-11-29T00:25:00Z", Step::Run(Job::Compensate));
        check("2026-11-29T00:00:00Z", "2026-11-29T00:30:00Z", Step::Run(Job::Publish));
        check("2026-11-29T12:00:00Z", "2026-11-29T12:30:00Z", Step::Run(Job::Compensate));
        check("2026-05-01T00:00:00Z", "2026-11-29T12:00:00Z", Step::Run(Job::Publish));
        check("2026-11-29T00:30:00Z", "2026-11-29T00:05:00Z", idle);
    }

    #[test]
    fn a_due_instant_is_met_to_the_millisecond() {
        let mut agenda = caught_up("2026-11-29T00:00:00Z");
        let due = Some("2026-11-29T00:05:00Z");
        let mut check = |now: &str, expected| assert_eq!(agenda.next(wake(now, due)), expected, "at {now}");
        check("2026-11-29T00:04:00Z", Step::Wait(1_000));
        check("2026-11-29T00:04:59.300Z", Step::Wait(700));
        check("2026-11-29T00:04:59.999Z", Step::Wait(1));
        check("2026-11-29T00:05:00Z", Step::Run(Job::Publish));
    }

    /// How long the agenda waits before each of eleven runs that end in `outcome`.
    fn waits(outcome: Outcome) -> Vec<u64> {
        let mut agenda = caught_up("2026-11-29T01:00:00Z");
        let due = at("2026-11-29T00:50:00Z");
        let mut now = at("2026-11-29T01:00:01Z");
        let mut waits = Vec::new();
        while waits.len() < 11 {
            let mut waited = 0;
            while let Step::Wait(ms) = agenda.next(Wake { now, overdue: Some(due), upcoming: None }) {
                waited += ms;
                now = now.plus(ms.try_into().unwrap());
            }
            waits.push(waited);
            let is_news = agenda.ran(&report(Job::Publish, now, Some(outcome)));
            assert_eq!(is_news, waits.len() == 1, "only the first such run is news");
        }
        waits
    }

    #[test]
    fn work_that_runs_do_not_move_is_tried_less_and_less_often() {
        let expected = [0, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000];
        assert_eq!(waits(Outcome::Conflict), expected);
        assert_eq!(waits(Outcome::LeaseHeld), expected);
    }

    #[test]
    fn what_runs_do_not_move_hides_nothing_that_falls_due_behind_it() {
        let mut agenda = caught_up("2026-11-29T01:00:00Z");
        let overdue = Some(at("2026-11-29T00:50:00Z"));
        let next = at("2026-11-29T01:00:05.040Z");
        let first = Wake { now: at("2026-11-29T01:00:05Z"), overdue, upcoming: Some(next) };
        assert_eq!(agenda.next(first), Step::Run(Job::Publish));
        agenda.ran(&report(Job::Publish, first.now, Some(Outcome::Unknown)));
        assert_eq!(agenda.next(first), Step::Wait(40), "until the next instant, not as long as the patience");
        assert_eq!(agenda.next(Wake { now: next, overdue, upcoming: None }), Step::Run(Job::Publish));
    }

    #[test]
    fn patience_ends_when_something_moves() {
        let stuck = || {
            let mut agenda = caught_up("2026-11-29T01:00:00Z");
            let wake = wake("2026-11-29T01:00:01Z", Some("2026-11-29T00:50:00Z"));
            assert_eq!(agenda.next(wake), Step::Run(Job::Publish));
            agenda.ran(&report(Job::Publish, wake.now, Some(Outcome::LeaseHeld)));
            assert_eq!(agenda.next(wake), Step::Wait(100));
            agenda
        };
        let run = Step::Run(Job::Publish);
        let (now, due) = ("2026-11-29T01:00:01Z", "2026-11-29T00:50:00Z");
        assert_eq!(stuck().next(wake(now, Some("2026-11-29T00:51:00Z"))), run, "another instant");
        assert_eq!(stuck().next(wake("2026-11-29T00:59:00Z", Some(due))), run, "the clock jumped back");
        let mut agenda = stuck();
        assert_eq!(agenda.next(wake("2026-11-29T01:00:01.100Z", Some(due))), run);
        agenda.ran(&report(Job::Publish, at("2026-11-29T01:00:01.100Z"), Some(Outcome::Published)));
        assert_eq!(agenda.next(wake("2026-11-29T01:00:01.100Z", Some(due))), run, "something was published");
    }
}
