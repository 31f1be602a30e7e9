//! Episodes: an alert from its beginning to its end, as it is told to others.
//!
//! Alerts are states that nobody stores: whoever looks, sees them. But to tell others that
//! one has begun, and do so once, somebody has to remember that it was told. An episode is
//! what is remembered. It is to an alert what a receipt is to a commit: it is written once,
//! however many workers notice the same edge in the same instant, and the events of an alert
//! are derived from it.
//!
//! Whoever looks compares what there is with the episodes that are open, and brings what it
//! saw together with what it found the reason to do: an episode opens where none is open, and
//! moves on only from where it was seen. So of two that saw the same edge the second one finds
//! that there is nothing left to do. What was seen too long ago moves nothing: a worker that
//! slept through an alert would tell of it when it is over.
//!
//! An alert begins at once, since its rules have been patient already. It ends when it was not
//! seen for [`CALM_MS`]. One that comes and goes more quickly is one episode, however often
//! that is, and tells others twice.

use serde::{Deserialize, Serialize};

use crate::{
    alert::{self, Alert, AlertKind},
    job::{Job, Vitals},
    time::UnixMillis,
};

/// For how long an alert has to be gone before it is over, in milliseconds.
pub const CALM_MS: i64 = 10 * 60_000;
/// For how long what was seen may still move an episode, in milliseconds. Less than
/// [`CALM_MS`]: what is written twice, because its answer got lost, finds the episode open.
pub const FRESH_MS: i64 = 60_000;

/// The beginning of an alert, or its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edge {
    /// It began.
    Raised,
    /// It ended.
    Cleared,
}

impl Edge {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Raised, Self::Cleared];

    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Raised => "raised",
            Self::Cleared => "cleared",
        }
    }
}

/// An alert that was raised, as it was then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Episode {
    /// Its place in the order in which they began.
    pub number: i64,
    /// The alert as it was seen when it began.
    #[serde(flatten)]
    pub alert: Alert,
    /// When it was noticed.
    pub raised_at: UnixMillis,
}

/// An episode that is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenEpisode {
    /// Its number.
    pub number: i64,
    /// What it is about.
    pub kind: AlertKind,
    /// About which job.
    pub job: Option<Job>,
    /// Since when the alert was not seen any more, if it is not seen.
    pub calm_since: Option<UnixMillis>,
}

/// What there is, and what others were told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertLook {
    /// What alerts are made of.
    pub vitals: Vitals,
    /// The episodes that are not over, in the order of their numbers.
    pub open: Vec<OpenEpisode>,
}

/// How an open episode goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The alert is not seen any more.
    Calm,
    /// It is seen again.
    Return,
    /// It was not seen for long enough.
    Clear,
}

impl Step {
    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Calm => "calm",
            Self::Return => "return",
            Self::Clear => "clear",
        }
    }
}

/// How one open episode goes on, from where it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Move {
    /// Which episode.
    pub number: i64,
    /// Since when it was calm, as it was seen: nothing happens if that has changed.
    pub calm_since: Option<UnixMillis>,
    /// What happens.
    pub step: Step,
}

/// What follows from a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns {
    /// When that was seen.
    pub seen_at: UnixMillis,
    /// Alerts that begin.
    pub raised: Vec<Alert>,
    /// Episodes that go on.
    pub moves: Vec<Move>,
}

impl Turns {
    /// Whether there is nothing to write down.
    pub fn is_empty(&self) -> bool {
        self.raised.is_empty() && self.moves.is_empty()
    }

    /// Whether anything may still follow from it at `now`.
    pub fn is_fresh(&self, now: UnixMillis) -> bool {
        now.since(self.seen_at) <= FRESH_MS
    }
}

/// How many episodes began and ended by somebody's hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turned {
    /// How many began.
    pub raised: i64,
    /// How many ended.
    pub cleared: i64,
}

impl AlertLook {
    /// What follows, under this quota. Only what the store knows is told, and not what one
    /// process counted for itself: all of them have to see the same.
    pub fn turns(&self, daily_quota: i64) -> Turns {
        let now = self.vitals.now;
        let alerts = alert::alerts(&self.vitals, daily_quota, 0);
        let moves = self.open.iter().filter_map(|episode| {
            let is_seen = alerts.iter().any(|alert| episode.is_of(alert));
            let step = episode.step(is_seen, now)?;
            Some(Move { number: episode.number, calm_since: episode.calm_since, step })
        });
        let moves = moves.collect();
        let is_new = |alert: &Alert| !self.open.iter().any(|episode| episode.is_of(alert));
        Turns { seen_at: now, raised: alerts.into_iter().filter(is_new).collect(), moves }
    }
}

impl OpenEpisode {
    fn is_of(&self, alert: &Alert) -> bool {
        (self.kind, self.job) == (alert.kind, alert.job)
    }

    fn step(&self, is_seen: bool, now: UnixMillis) -> Option<Step> {
        match (is_seen, self.calm_since) {
            (true, None) => None,
            (true, Some(_)) => Some(Step::Return),
            (false, None) => Some(Step::Calm),
            (false, Some(since)) if now.since(since) >= CALM_MS => Some(Step::Clear),
            (false, Some(_)) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Heartbeat;

    const NOW: UnixMillis = UnixMillis::new(1_000 * crate::time::DAY_MS);

    /// A site on which all is well, but that it may be paused.
    fn vitals(paused: bool, blocked: i64) -> Vitals {
        Vitals {
            now: NOW,
            paused,
            has_work: true,
            outstanding: 0,
            outstanding_since: None,
            left_alone: 0,
            left_alone_since: None,
            blocked,
            quota: None,
            has_run: true,
            heartbeats: Job::ALL.map(|job| Heartbeat { job, ended_at: NOW, unknown: 0 }).into(),
            known_since: Some(NOW),
        }
    }

    fn open(number: i64, kind: AlertKind, calm_ms: Option<i64>) -> OpenEpisode {
        OpenEpisode { number, kind, job: None, calm_since: calm_ms.map(|ms| NOW.plus(-ms)) }
    }

    /// What follows where the site is paused, or is not, and there is an episode.
    fn check(paused: bool, episode: Option<Option<i64>>, raises: bool, step: Option<Step>) {
        let open = episode.map(|calm_ms| open(7, AlertKind::Paused, calm_ms));
        let turns = AlertLook { vitals: vitals(paused, 0), open: open.into_iter().collect() }.turns(100);
        let raised: Vec<_> = turns.raised.iter().map(|alert| alert.kind).collect();
        assert_eq!(raised, if raises { vec![AlertKind::Paused] } else { Vec::new() });
        let calm_since = open.and_then(|episode| episode.calm_since);
        let moves: Vec<_> = step.map(|step| Move { number: 7, calm_since, step }).into_iter().collect();
        assert_eq!(turns.moves, moves);
        assert_eq!((turns.seen_at, turns.is_empty()), (NOW, !raises && step.is_none()));
    }

    #[test]
    fn an_alert_begins_where_no_episode_is_open_and_ends_when_it_was_gone_for_long_enough() {
        check(false, None, false, None);
        check(true, None, true, None);
        check(true, Some(None), false, None);
        check(true, Some(Some(0)), false, Some(Step::Return));
        check(true, Some(Some(CALM_MS)), false, Some(Step::Return));
        check(false, Some(None), false, Some(Step::Calm));
        check(false, Some(Some(CALM_MS - 1)), false, None);
        check(false, Some(Some(CALM_MS)), false, Some(Step::Clear));
        check(false, Some(Some(-1)), false, None);
    }

    #[test]
    fn alerts_of_two_kinds_or_jobs_are_two() {
        let mut look = AlertLook { vitals: vitals(true, 1), open: vec![open(1, AlertKind::Paused, None)] };
        look.vitals.heartbeats.clear();
        look.vitals.known_since = Some(NOW.plus(-90 * crate::time::DAY_MS));
        let silent = OpenEpisode { job: Some(Job::Publish), ..open(2, AlertKind::NoHeartbeat, None) };
        look.open.push(silent);
        let turns = look.turns(100);
        let raised: Vec<_> = turns.raised.iter().map(|alert| (alert.kind, alert.job)).collect();
        assert_eq!(raised, [(AlertKind::NoHeartbeat, Some(Job::Compensate)), (AlertKind::Blocked, None)]);
        assert_eq!(turns.moves, []);
    }

    #[test]
    fn what_was_seen_moves_something_for_a_minute() {
        let turns = AlertLook { vitals: vitals(true, 0), open: Vec::new() }.turns(100);
        assert!(turns.is_fresh(NOW) && turns.is_fresh(NOW.plus(FRESH_MS)));
        assert!(!turns.is_fresh(NOW.plus(FRESH_MS + 1)));
        const { assert!(FRESH_MS < CALM_MS) };
    }
}
