//! How things are, at a glance.

use std::borrow::Cow;

use askama::Template;
use fencepost_domain::{
    alert::{Alert, Severity},
    job::{HeldLease, Overview},
    quota::DailyQuota,
    time::UnixMillis,
};
use fencepost_ports::Job;

use super::{Moment, Page, run::RunLine};
use crate::{config::App, view::INFALLIBLE};

/// How things are, at a glance.
#[derive(Template)]
#[template(path = "dashboard/overview.html")]
pub(crate) struct OverviewPage {
    page: Page,
    overview: Overview,
    build_version: &'static str,
    quota: DailyQuota,
    /// After how many hours jobs leave an item alone.
    skip_hours: Option<i64>,
    next_wake: Option<Moment>,
    alerts: Vec<AlertLine>,
    jobs: Vec<JobLine>,
    leases: Vec<LeaseLine>,
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
}

struct LeaseLine {
    key: String,
    owner: String,
    fence: i64,
    ends: Moment,
}

impl LeaseLine {
    fn new(lease: HeldLease, now: UnixMillis) -> Self {
        Self {
            key: lease.key.to_string(),
            owner: lease.owner_id.to_string(),
            fence: lease.fence.get(),
            ends: Moment::new(lease.expires_at, now),
        }
    }
}

impl OverviewPage {
    /// The view of this overview.
    pub(crate) fn new(page: Page, app: &App, mut overview: Overview) -> Self {
        let now = overview.now;
        let alerts = app.site.alerts(&overview);
        let leases = std::mem::take(&mut overview.leases);
        let runs = std::mem::take(&mut overview.last_runs);
        let line = |job| {
            let last = runs.iter().find(|run| run.job == job);
            let is_at_work = last.is_some_and(|run| run.finished_at.is_none());
            let left = is_at_work.then_some(overview.outstanding);
            JobLine { job, last: last.map(|run| RunLine::new(run, now)), left }
        };
        let jobs = [Job::Publish, Job::Compensate].map(line).into();
        Self {
            page,
            build_version: app.build_version,
            quota: DailyQuota::under(overview.quota, app.site.settings.daily_quota),
            skip_hours: overview.catch_up.skip_older_than.map(|ms| (ms / 3_600_000).max(1)),
            next_wake: overview.next_wake.map(|at| Moment::new(at, now)),
            alerts: alerts.into_iter().map(|alert| AlertLine::new(alert, now)).collect(),
            jobs,
            leases: leases.into_iter().map(|lease| LeaseLine::new(lease, now)).collect(),
            overview,
        }
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}
