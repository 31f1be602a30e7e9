//! How things are, at a glance.

use std::borrow::Cow;

use askama::Template;
use fencepost_domain::{
    action::LoggedAction,
    alert::{Alert, Severity, UNNAMED_BUILD},
    job::{HeldLease, Overview, RecentBuild},
    outbox::OutboxTally,
    quota::DailyQuota,
    time::UnixMillis,
};
use fencepost_ports::Job;

use super::{Moment, Page, action::ActionLine, run::RunLine};
use crate::{config::App, view::INFALLIBLE};

/// How things are, at a glance.
#[derive(Template)]
#[template(path = "dashboard/overview.html")]
pub(crate) struct OverviewPage {
    page: Page,
    overview: Overview,
    build_version: &'static str,
    quota: DailyQuota,
    /// After about how many hours jobs leave an item alone.
    skip_hours: Option<i64>,
    next_wake: Option<Moment>,
    outstanding_since: Option<Moment>,
    alerts: Vec<AlertLine>,
    jobs: Vec<JobLine>,
    leases: Vec<LeaseLine>,
    outbox: OutboxTally,
    /// Whether anybody is told anything.
    is_told: bool,
    actions: Vec<ActionLine>,
}

/// An age as the form of the policy shows it: in whole hours, which it need not be.
pub(crate) const fn shown_hours(ms: i64) -> i64 {
    let hours = ms / 3_600_000;
    if hours < 1 { 1 } else { hours }
}

/// What is shown.
pub(crate) struct Seen {
    pub(crate) overview: Overview,
    pub(crate) outbox: OutboxTally,
    /// Whether anybody is told anything.
    pub(crate) is_told: bool,
    /// The last actions, the newest first.
    pub(crate) actions: Vec<LoggedAction>,
}

/// Something that a person should look at.
struct AlertLine {
    is_loud: bool,
    meaning: String,
    since: Option<Moment>,
    remedy: Cow<'static, str>,
}

impl AlertLine {
    fn new(alert: Alert, now: UnixMillis) -> Self {
        Self {
            is_loud: alert.severity == Severity::Alert,
            meaning: alert.meaning,
            since: alert.since.map(|since| Moment::new(since, now)),
            remedy: alert.remedy,
        }
    }
}

/// A job, and its newest run.
struct JobLine {
    job: Job,
    last: Option<RunLine>,
    /// How many due items are left, if its newest run has not ended.
    left: Option<i64>,
    /// The builds that have run it within a day, if there are several.
    builds: Vec<BuildLine>,
}

/// A build, and when it ran a job last.
struct BuildLine {
    build: String,
    ran: Moment,
}

impl BuildLine {
    fn new(recent: &RecentBuild, now: UnixMillis) -> Self {
        let build = recent.build.clone().unwrap_or_else(|| UNNAMED_BUILD.to_owned());
        Self { build, ran: Moment::new(recent.ran_at, now) }
    }
}

struct LeaseLine {
    key: String,
    owner: String,
    fence: i64,
    held: Moment,
    ends: Moment,
}

impl LeaseLine {
    fn new(lease: HeldLease, now: UnixMillis) -> Self {
        Self {
            key: lease.key.to_string(),
            owner: lease.owner_id.to_string(),
            fence: lease.fence.get(),
            held: Moment::new(lease.held_since, now),
            ends: Moment::new(lease.expires_at, now),
        }
    }
}

impl OverviewPage {
    /// The view of this overview.
    pub(crate) fn new(page: Page, app: &App, seen: Seen) -> Self {
        let Seen { mut overview, outbox, is_told, actions } = seen;
        let now = overview.now;
        let alerts = app.site.alerts(&overview);
        let leases = std::mem::take(&mut overview.leases);
        let runs = std::mem::take(&mut overview.last_runs);
        let builds = |job| {
            let of_job = overview.recent_builds.iter().filter(|recent| recent.job == job);
            let lines: Vec<_> = of_job.map(|recent| BuildLine::new(recent, now)).collect();
            if lines.len() > 1 { lines } else { Vec::new() }
        };
        let job_line = |job| {
            let last = runs.iter().find(|run| run.job == job);
            let is_at_work = last.is_some_and(|run| run.finished_at.is_none());
            JobLine {
                job,
                last: last.map(|run| RunLine::new(run, now)),
                left: is_at_work.then_some(overview.outstanding),
                builds: builds(job),
            }
        };
        Self {
            page,
            outbox,
            is_told,
            actions: actions.iter().map(|action| ActionLine::new(action, now)).collect(),
            build_version: app.build_version,
            quota: DailyQuota::under(overview.quota, app.site.settings.daily_quota),
            skip_hours: overview.catch_up.skip_older_than.map(shown_hours),
            outstanding_since: overview.outstanding_since.map(|at| Moment::new(at, now)),
            next_wake: overview.next_wake.map(|at| Moment::new(at, now)),
            alerts: alerts.into_iter().map(|alert| AlertLine::new(alert, now)).collect(),
            jobs: Job::ALL.map(job_line).into(),
            leases: leases.into_iter().map(|lease| LeaseLine::new(lease, now)).collect(),
            overview,
        }
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}
