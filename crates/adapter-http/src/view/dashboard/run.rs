//! Runs of the jobs.

use askama::Template;
use fencepost_application::RunReport;
use fencepost_domain::{
    alert::UNNAMED_BUILD,
    job::{JobRun, LoggedRun},
    outcome::Outcome,
    time::UnixMillis,
};

use super::{Moment, Page, span};
use crate::view::INFALLIBLE;

/// One run in a list.
pub(crate) struct RunLine {
    pub(crate) job: &'static str,
    pub(crate) owner: String,
    pub(crate) build: String,
    pub(crate) began: Moment,
    pub(crate) state: String,
    pub(crate) counts: String,
    pub(crate) error: Option<String>,
}

impl RunLine {
    /// How this run looks at `now`.
    pub(crate) fn new(run: &JobRun, now: UnixMillis) -> Self {
        Self {
            job: run.job.as_str(),
            owner: run.owner_id.to_string(),
            build: run.build.clone().unwrap_or_else(|| UNNAMED_BUILD.to_owned()),
            began: Moment::new(run.started_at, now),
            state: match run.finished_at {
                Some(end) => format!("took {}", took(end.since(run.started_at))),
                None => "has not ended".to_owned(),
            },
            counts: counted(run.counts.iter().map(|(outcome, count)| (*outcome, *count))),
            error: run.error.clone(),
        }
    }
}

fn took(ms: i64) -> String {
    if (0..10_000).contains(&ms) { format!("{ms} ms") } else { span(ms) }
}

fn counted(counts: impl Iterator<Item = (Outcome, u32)>) -> String {
    let words: Vec<_> = counts.map(|(outcome, count)| format!("{count} {}", outcome.as_str())).collect();
    if words.is_empty() { "nothing to do".to_owned() } else { words.join(", ") }
}

/// A page of runs, the newest first.
#[derive(Template)]
#[template(path = "dashboard/runs.html")]
pub(crate) struct RunsPage {
    page: Page,
    runs: Vec<RunLine>,
    /// Where the list goes on.
    older: Option<i64>,
}

impl RunsPage {
    /// The view of these runs.
    pub(crate) fn new(page: Page, now: UnixMillis, runs: Vec<LoggedRun>) -> Self {
        Self {
            page,
            older: runs.last().map(|run| run.number).filter(|number| *number > 1),
            runs: runs.iter().map(|logged| RunLine::new(&logged.run, now)).collect(),
        }
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}

/// What one run did, right after it.
#[derive(Template)]
#[template(path = "dashboard/run.html")]
pub(crate) struct RunPage {
    page: Page,
    report: RunReport,
    counts: String,
    took: String,
}

impl RunPage {
    /// The view of this report.
    pub(crate) fn new(page: Page, report: RunReport) -> Self {
        Self {
            page,
            counts: counted(report.counts.iter().map(|(outcome, count)| (*outcome, *count))),
            took: took(report.finished_at.since(report.started_at)),
            report,
        }
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}
