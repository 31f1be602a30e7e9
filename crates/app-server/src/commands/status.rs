//! `status`: how the site is doing.

use std::process::ExitCode;

use fencepost_domain::alert::{Alert, Severity, UNNAMED_BUILD};
use fencepost_ports::{JobRun, OutboxTally, Overview};
use serde::Serialize;

use crate::{
    compose::{self, Composed},
    failure::Failure,
    options::CommonOptions,
    output::{print, print_json, table},
};

/// The overview as the API tells it, but for what a server counted.
#[derive(Debug, Serialize)]
struct Status {
    #[serde(flatten)]
    overview: Overview,
    alerts: Vec<Alert>,
    /// What others were not told yet.
    outbox: OutboxTally,
}

/// Prints the overview, and what to look at. With `check`, the exit code is 1 when somebody
/// has to do something: a notice alone wakes nobody.
pub(crate) async fn status(options: &CommonOptions, json: bool, check: bool) -> Result<ExitCode, Failure> {
    let Composed { site, store } = compose::open_existing(options, &options.places(false)).await?;
    let overview = site.status().await?;
    let alerts = site.alerts(&overview);
    let status = Status { overview, alerts, outbox: site.outbox_tally().await? };
    store.runner().close().await;
    let is_loud = status.alerts.iter().any(|alert| alert.severity == Severity::Alert);
    if json {
        print_json(&status)?;
    } else {
        print(&format!("{}{}", words(&status), alert_words(&status.alerts)))?;
    }
    Ok(if check && is_loud { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn words(status: &Status) -> String {
    let Status { overview, alerts: _, outbox } = status;
    let mut rows: Vec<(String, String)> = [
        ("time of the database", overview.now.to_string()),
        ("paused", if overview.paused { "yes: nothing is published" } else { "no" }.to_owned()),
        ("published", overview.published.to_string()),
        ("scheduled", overview.scheduled.to_string()),
        ("overdue", overview.overdue.to_string()),
        ("in hand", overview.processing.to_string()),
        ("blocked", overview.blocked.to_string()),
        ("withdrawn", overview.withdrawn.to_string()),
        ("next due", overview.next_wake.map_or_else(|| "nothing".to_owned(), |at| at.to_string())),
        (
            "published today",
            overview.quota.map_or_else(
                || "0".to_owned(),
                |quota| format!("{} of at most {}", quota.published, quota.quota),
            ),
        ),
        ("publication revision", overview.publication_revision.to_string()),
        ("bank revision", overview.bank_revision.to_string()),
        ("events pending", outbox.pending.to_string()),
        ("events dead", outbox.dead.to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    if overview.last_runs.is_empty() {
        rows.push(("last run".to_owned(), "never".to_owned()));
    }
    rows.extend(
        overview
            .last_runs
            .iter()
            .map(|run| (format!("last {}", run.job.as_str()), last(run, overview.outstanding))),
    );
    rows.extend(overview.recent_builds.iter().map(|recent| {
        let build = recent.build.as_deref().unwrap_or(UNNAMED_BUILD);
        (format!("{} by build", recent.job.as_str()), format!("{build}, last at {}", recent.ran_at))
    }));
    rows.extend(overview.leases.iter().map(|lease| {
        let until = format!("{}, since {}, until {}", lease.owner_id, lease.held_since, lease.expires_at);
        (format!("lease {}", lease.key), until)
    }));
    table(&rows.into_iter().map(|(name, value)| vec![name, value]).collect::<Vec<_>>())
}

fn alert_words(alerts: &[Alert]) -> String {
    let words = |alert: &Alert| {
        let since = alert.since.map(|since| format!(" Since {since}.")).unwrap_or_default();
        format!("\n{}: {}{since}\n  {}\n", alert.severity.as_str(), alert.meaning, alert.remedy)
    };
    alerts.iter().map(words).collect()
}

fn last(run: &JobRun, outstanding: i64) -> String {
    let end = match (run.finished_at, &run.error) {
        (None, _) => return format!("{}, has not ended; {outstanding} due and not out yet", run.started_at),
        (Some(_), Some(error)) => format!("failed: {error}"),
        (Some(at), None) => format!("took {} ms", at.since(run.started_at)),
    };
    let counts: Vec<_> = run.counts.iter().map(|(outcome, count)| format!("{outcome}: {count}")).collect();
    let did = if counts.is_empty() { "nothing due".to_owned() } else { counts.join(", ") };
    format!("{}, {end}; {did}", run.started_at)
}
