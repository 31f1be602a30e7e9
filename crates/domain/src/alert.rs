//! What a person should look at, and what to do about it.
//!
//! An exact publication is worth little if nobody notices that none takes place: a cron
//! that has stopped says nothing. So the same list is made wherever somebody may look, on
//! the command line, in the API, on the dashboard and in the metrics, from one overview and
//! by the store's clock.
//!
//! Every kind is a state and not an event. It appears when the state begins, and clears when
//! the state ends, without anybody acknowledging anything. Only what a process counted for
//! itself stays until the process ends, and is therefore a notice. Whoever has to be told of
//! a state's beginning and end is told by [`episode`](crate::episode).
//!
//! What passes by itself is no alert. At its very instant an answer is due and not out, while
//! the job is at work: it has [`PATIENCE_MS`]. A job may miss one run: it is silent only after
//! two. And a job that never ran is not silent on a site that is younger than that.

use std::{borrow::Cow, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    job::{Job, Overview, Vitals},
    quota::DailyQuota,
    sorting::sort_by_key,
    time::{DAY_MS, UnixMillis},
};

const MINUTE_MS: i64 = 60_000;

/// How long an answer may be due and not out before somebody has to know.
pub const PATIENCE_MS: i64 = 5 * MINUTE_MS;

mod builds;
pub use builds::UNNAMED_BUILD;

mod late;

/// What an alert is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlertKind {
    /// Answers are late.
    Overdue,
    /// A job gives no sign of life.
    NoHeartbeat,
    /// Items wait for a person.
    Blocked,
    /// Items are too late for jobs, by the policy of catching up.
    LeftAlone,
    /// Today's quota is used up, and something is due.
    QuotaReached,
    /// The site is paused.
    Paused,
    /// More than one build runs a job.
    SeveralBuilds,
    /// The fate of commits was not to be learned.
    CommitsUnknown,
}

impl AlertKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Overdue,
        Self::NoHeartbeat,
        Self::Blocked,
        Self::LeftAlone,
        Self::QuotaReached,
        Self::Paused,
        Self::SeveralBuilds,
        Self::CommitsUnknown,
    ];

    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Overdue => "overdue",
            Self::NoHeartbeat => "no_heartbeat",
            Self::Blocked => "blocked",
            Self::LeftAlone => "left_alone",
            Self::QuotaReached => "quota_reached",
            Self::Paused => "paused",
            Self::SeveralBuilds => "several_builds",
            Self::CommitsUnknown => "commits_unknown",
        }
    }

    /// Whether somebody has to do something. A pause is somebody's doing, as is a
    /// migration from one build to another, and an unknown fate is settled by the next run.
    pub const fn severity(self) -> Severity {
        match self {
            Self::Overdue | Self::NoHeartbeat | Self::Blocked | Self::LeftAlone | Self::QuotaReached => {
                Severity::Alert
            }
            Self::Paused | Self::SeveralBuilds | Self::CommitsUnknown => Severity::Notice,
        }
    }
}

impl FromStr for AlertKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(())
    }
}

/// Whether somebody has to do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Somebody has to.
    Alert,
    /// It is good to know.
    Notice,
}

impl Severity {
    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Alert => "alert",
            Self::Notice => "notice",
        }
    }
}

/// Something that a person should look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Alert {
    /// What it is about.
    pub kind: AlertKind,
    /// Whether somebody has to do something.
    pub severity: Severity,
    /// Which job, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<Job>,
    /// Since when, where that is known.
    pub since: Option<UnixMillis>,
    /// How many items, or commits; of jobs, one.
    pub count: i64,
    /// What it means, for people.
    pub meaning: String,
    /// What to do, for people.
    pub remedy: Cow<'static, str>,
}

/// For how long no run of a job may end: for two of its intervals.
///
/// `publish` gets some minutes more. It is fired once a day, a run may take a quarter of an
/// hour, and a false alarm could not be told from a true one before the next day.
pub const fn longest_silence_ms(job: Job) -> i64 {
    match job {
        Job::Publish => 2 * DAY_MS + 20 * MINUTE_MS,
        Job::Compensate => 2 * 60 * MINUTE_MS,
    }
}

/// Everything that a person should look at, of what an overview shows, the most urgent first:
/// [`alerts`], and what is for those to know who look.
pub fn of_overview(overview: &Overview, daily_quota: i64, unknown: u64) -> Vec<Alert> {
    let mut all = alerts(&overview.vitals(), daily_quota, unknown);
    all.extend(builds::several(&overview.recent_builds));
    sort_by_key(&mut all, |alert| alert.kind);
    all
}

/// Everything that others are told of as well, the most urgent first. `daily_quota` is the
/// setting, and `unknown` how many looks at lost commits this process could not make sense of;
/// without any, the runs tell that the store remembers.
pub fn alerts(vitals: &Vitals, daily_quota: i64, unknown: u64) -> Vec<Alert> {
    let quota = DailyQuota::under(vitals.quota, daily_quota);
    let mut alerts = Vec::new();
    alerts.extend(late::overdue(vitals, quota));
    alerts.extend(silence(vitals));
    if vitals.blocked > 0 {
        let waiting = items(vitals.blocked, "waits", "wait");
        let meaning = format!("{waiting} for a person: no job takes what is blocked in hand.");
        alerts.push(Alert {
            count: vitals.blocked,
            ..alert(
                AlertKind::Blocked,
                meaning,
                "Ask for the reason with `explain`. Correct the row and import it again, or, if nothing is wrong with the row, let the next run try it with `retry`.",
            )
        });
    }
    alerts.extend(late::left_alone(vitals));
    if vitals.outstanding > 0 && !quota.has_left() {
        let (published, waiting) = (quota.published, items(vitals.outstanding, "waits", "wait"));
        let meaning =
            format!("{published} of at most {} pages were published today, and {waiting}.", quota.quota);
        alerts.push(Alert {
            count: vitals.outstanding,
            ..alert(
                AlertKind::QuotaReached,
                meaning,
                "If all of it is to be published, raise the daily quota; tomorrow's runs go on by themselves.",
            )
        });
    }
    if vitals.paused {
        let meaning = "The site is paused: nothing becomes public.".to_owned();
        alerts.push(alert(AlertKind::Paused, meaning, "Resume it when the reason for the pause is gone."));
    }
    let doubtful: i64 = vitals.heartbeats.iter().map(|beat| beat.unknown).sum();
    if unknown > 0 {
        let meaning = format!(
            "Since this process began, what became of a commit without an answer was not to be learned ({unknown} times)."
        );
        alerts.push(Alert {
            count: i64::try_from(unknown).unwrap_or(i64::MAX),
            ..alert(
                AlertKind::CommitsUnknown,
                meaning,
                "The next run settles each of them. If it grows, look at the connection to the database, and run `verify`.",
            )
        });
    } else if doubtful > 0 {
        let left = items(doubtful, "was", "were");
        let meaning = format!("{left} left by the last runs without learning whether the commit took place.");
        alerts.push(Alert {
            count: doubtful,
            ..alert(
                AlertKind::CommitsUnknown,
                meaning,
                "The next run settles each of them. If it comes again, look at the connection to the database, and run `verify`.",
            )
        });
    }
    alerts
}

/// The jobs that give no sign of life.
fn silence(vitals: &Vitals) -> Vec<Alert> {
    const NO_CRON: &str = "Nothing starts the jobs. Keep `fencepost serve` running, without --no-cron; of a Worker, \
        look whether its crons are deployed and at their past events. Until then, run `compensate` by hand.";
    if !vitals.has_run && vitals.has_work {
        let meaning = "No job has ever run, and there is something to publish.".to_owned();
        let since = vitals.known_since;
        return vec![Alert { since, ..alert(AlertKind::NoHeartbeat, meaning, NO_CRON) }];
    }
    let silent = |job: Job| {
        let ended = vitals.heartbeats.iter().find(|beat| beat.job == job).map(|beat| beat.ended_at);
        let since = ended.or(vitals.known_since)?;
        if vitals.now.since(since) <= longest_silence_ms(job) {
            return None;
        }
        let name = job.as_str();
        let meaning = match ended {
            Some(_) => format!("No run of `{name}` has ended for longer than two of its intervals."),
            None => {
                format!("No run of `{name}` has ever ended, and the site is older than two of its intervals.")
            }
        };
        Some(Alert { job: Some(job), since: Some(since), ..alert(AlertKind::NoHeartbeat, meaning, NO_CRON) })
    };
    Job::ALL.into_iter().filter_map(silent).collect()
}

const fn alert(kind: AlertKind, meaning: String, remedy: &'static str) -> Alert {
    Alert {
        kind,
        severity: kind.severity(),
        job: None,
        since: None,
        count: 1,
        meaning,
        remedy: Cow::Borrowed(remedy),
    }
}

fn items(count: i64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 item {one}") } else { format!("{count} items {many}") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{
        catch_up::CatchUp,
        id::{OwnerId, RunId},
        job::{Heartbeat, JobRun, RecentBuild},
        revision::Revision,
    };

    const NOW: UnixMillis = UnixMillis::new(1_000 * DAY_MS);
    const HOUR_MS: i64 = 60 * MINUTE_MS;

    /// A site that is well: both jobs have just ended, one item is to come.
    fn well() -> Overview {
        Overview {
            now: NOW,
            publication_revision: Revision::new(3),
            bank_revision: 2,
            paused: false,
            scheduled: 1,
            overdue: 0,
            outstanding: 0,
            outstanding_since: None,
            left_alone: 0,
            left_alone_since: None,
            processing: 0,
            blocked: 0,
            published: 3,
            withdrawn: 0,
            quota: None,
            catch_up: CatchUp::default(),
            next_wake: None,
            last_runs: Job::ALL.map(run).into(),
            heartbeats: Job::ALL.map(|job| Heartbeat { job, ended_at: NOW, unknown: 0 }).into(),
            recent_builds: Job::ALL.map(|job| recent(job, Some("new"))).into(),
            known_since: Some(NOW.plus(-90 * DAY_MS)),
            leases: Vec::new(),
        }
    }

    fn recent(job: Job, build: Option<&str>) -> RecentBuild {
        RecentBuild { job, build: build.map(str::to_owned), ran_at: NOW }
    }

    fn run(job: Job) -> JobRun {
        JobRun {
            run_id: RunId::new(job.as_str()),
            job,
            owner_id: OwnerId::new("ada"),
            build: None,
            utc_day: NOW.utc_day(),
            started_at: NOW,
            finished_at: None,
            counts: BTreeMap::new(),
            error: None,
        }
    }

    fn of(overview: &Overview) -> Vec<Alert> {
        of_overview(overview, 100, 0)
    }

    /// Kind, job, since and count of every alert.
    fn check(overview: &Overview, expected: &[(AlertKind, Option<Job>, Option<UnixMillis>, i64)]) {
        let found = of(overview);
        let told: Vec<_> = found.iter().map(|it| (it.kind, it.job, it.since, it.count)).collect();
        assert_eq!(told, expected, "{overview:?}");
        for alert in found {
            assert!(alert.meaning.ends_with('.') && alert.remedy.ends_with('.'), "{alert:?}");
        }
    }

    #[test]
    fn a_site_that_is_well_has_no_alert() {
        check(&well(), &[]);
    }

    #[test]
    fn an_answer_is_late_only_after_some_patience() {
        for (waited_ms, late) in
            [(0, false), (PATIENCE_MS - 1, false), (PATIENCE_MS, false), (PATIENCE_MS + 1, true)]
        {
            let since = NOW.plus(-waited_ms);
            let overview = Overview { overdue: 3, outstanding: 2, outstanding_since: Some(since), ..well() };
            let alert = (AlertKind::Overdue, None, Some(since), 2);
            check(&overview, if late { std::slice::from_ref(&alert) } else { &[] });
        }
    }

    #[test]
    fn what_is_late_names_what_holds_it_up() {
        let late = Overview { outstanding: 1, outstanding_since: Some(NOW.plus(-HOUR_MS)), ..well() };
        let remedy = |overview: &Overview| of(overview)[0].remedy.clone();
        assert!(remedy(&late).contains("compensate"));
        assert!(remedy(&Overview { paused: true, ..late.clone() }).contains("resume"));
        let used_up = Some(DailyQuota { published: 100, quota: 5, set_quota: None });
        assert!(remedy(&Overview { quota: used_up, ..late.clone() }).contains("quota"));
        assert_eq!(of(&late)[0].meaning, "1 item is due and not out.");
    }

    #[test]
    fn a_job_is_silent_after_two_of_its_intervals() {
        for (job, silent_ms, tells) in [
            (Job::Compensate, 2 * HOUR_MS, false),
            (Job::Compensate, 2 * HOUR_MS + 1, true),
            (Job::Publish, 48 * HOUR_MS + 20 * MINUTE_MS, false),
            (Job::Publish, 48 * HOUR_MS + 20 * MINUTE_MS + 1, true),
            (Job::Publish, -HOUR_MS, false),
        ] {
            let ended_at = NOW.plus(-silent_ms);
            let mut overview = well();
            overview.heartbeats.retain(|beat| beat.job != job);
            overview.heartbeats.push(Heartbeat { job, ended_at, unknown: 0 });
            let alert = (AlertKind::NoHeartbeat, Some(job), Some(ended_at), 1);
            check(&overview, if tells { std::slice::from_ref(&alert) } else { &[] });
        }
    }

    #[test]
    fn a_job_that_never_ran_is_silent_only_on_a_site_that_is_older_than_that() {
        for (age_ms, tells) in
            [(48 * HOUR_MS + 20 * MINUTE_MS, false), (48 * HOUR_MS + 20 * MINUTE_MS + 1, true)]
        {
            let known_since = Some(NOW.plus(-age_ms));
            let mut overview = Overview { known_since, ..well() };
            overview.heartbeats.retain(|beat| beat.job == Job::Compensate);
            let alert = (AlertKind::NoHeartbeat, Some(Job::Publish), known_since, 1);
            check(&overview, if tells { std::slice::from_ref(&alert) } else { &[] });
        }
    }

    #[test]
    fn a_site_on_which_nothing_ever_ran_says_so_at_once_if_there_is_work() {
        let fresh =
            Overview { last_runs: Vec::new(), heartbeats: Vec::new(), known_since: Some(NOW), ..well() };
        check(&fresh, &[(AlertKind::NoHeartbeat, None, Some(NOW), 1)]);
        let in_hand = Overview { scheduled: 0, processing: 1, ..fresh.clone() };
        check(&in_hand, &[(AlertKind::NoHeartbeat, None, Some(NOW), 1)]);
        check(&Overview { scheduled: 0, ..fresh.clone() }, &[]);
        check(&Overview { scheduled: 0, known_since: None, ..fresh.clone() }, &[]);
        // A first run that is still at work is a sign of life, for a while.
        check(&Overview { last_runs: vec![run(Job::Compensate)], ..fresh }, &[]);
    }

    #[test]
    fn what_is_blocked_waits_for_a_person() {
        check(&Overview { blocked: 2, overdue: 2, ..well() }, &[(AlertKind::Blocked, None, None, 2)]);
    }

    #[test]
    fn a_quota_is_reached_only_while_something_is_due() {
        let used_up = Some(DailyQuota { published: 100, quota: 7, set_quota: None });
        check(&Overview { quota: used_up, ..well() }, &[]);
        let due = Overview { outstanding: 4, outstanding_since: Some(NOW), quota: used_up, ..well() };
        check(&due, &[(AlertKind::QuotaReached, None, None, 4)]);
        let left = Some(DailyQuota { published: 99, quota: 7, set_quota: None });
        check(&Overview { quota: left, ..due }, &[]);
    }

    #[test]
    fn a_pause_and_an_unknown_fate_are_notices() {
        check(&Overview { paused: true, ..well() }, &[(AlertKind::Paused, None, None, 1)]);
        let unknown = alerts(&well().vitals(), 100, 3);
        assert_eq!(
            unknown.iter().map(|it| (it.kind, it.count)).collect::<Vec<_>>(),
            [(AlertKind::CommitsUnknown, 3)]
        );
        for kind in AlertKind::ALL {
            let notice =
                matches!(kind, AlertKind::Paused | AlertKind::SeveralBuilds | AlertKind::CommitsUnknown);
            assert_eq!(kind.severity() == Severity::Notice, notice, "{kind:?}");
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
            assert_eq!(serde_json::to_value(kind.severity()).unwrap(), kind.severity().as_str());
        }
    }

    #[test]
    fn what_the_last_runs_did_not_learn_is_a_notice_until_runs_end_that_did() {
        let mut overview = well();
        overview.heartbeats[1].unknown = 2;
        check(&overview, &[(AlertKind::CommitsUnknown, None, None, 2)]);
        let counted = alerts(&overview.vitals(), 100, 3);
        assert_eq!(counted.len(), 1, "{counted:?}");
    }

    #[test]
    fn the_most_urgent_comes_first() {
        let all = Overview {
            outstanding: 1,
            outstanding_since: Some(NOW.plus(-HOUR_MS)),
            last_runs: Vec::new(),
            heartbeats: Vec::new(),
            left_alone: 1,
            left_alone_since: Some(NOW.plus(-DAY_MS)),
            blocked: 1,
            quota: Some(DailyQuota { published: 100, quota: 100, set_quota: None }),
            paused: true,
            recent_builds: ["new", "old"].map(|build| recent(Job::Publish, Some(build))).into(),
            ..well()
        };
        let kinds: Vec<_> = of_overview(&all, 100, 1).into_iter().map(|it| it.kind).collect();
        assert_eq!(kinds, AlertKind::ALL);
    }
}
