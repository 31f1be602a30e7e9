//! `GET /metrics`: how things are and what this process has done, for a monitor.
//!
//! It wants the admin token like the API: how many answers are to come, and when a pause
//! began, is nothing for strangers. Gauges are the overview of the store, so every process
//! tells the same; counters are those of this process, or of this instance of the Worker.

use axum::{extract::State, http::header, response::Response};
use fencepost_application::{LAG_BOUNDS_MS, LagCounts};
use fencepost_domain::{
    alert::{Alert, AlertKind},
    quota::DailyQuota,
    resolution::Resolution,
};
use fencepost_ports::{CallTotals, Overview};

use crate::{
    cache_headers::{NO_STORE, with_type},
    config::App,
    exposition::{Exposition, Kind, Seconds},
    problem::Problem,
};

/// Everything that a monitor may want to know.
pub(crate) async fn metrics(State(app): State<App>) -> Result<Response, Problem> {
    let overview = app.site.status().await?;
    let alerts = app.site.alerts(&overview);
    let mut text = Exposition::default();
    tell_build(&mut text, &app);
    tell_overview(&mut text, &overview, app.site.settings.daily_quota);
    tell_alerts(&mut text, &alerts);
    tell_counters(&mut text, &app);
    let mut response = with_type(Exposition::CONTENT_TYPE, text.finish());
    response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
    Ok(response)
}

fn tell_build(text: &mut Exposition, app: &App) {
    let labels = [("environment", app.environment.as_str()), ("version", app.build_version)];
    text.family("fencepost_build_info", Kind::Gauge, "Which build answers; always 1.").sample(&labels, 1);
}

fn tell_overview(text: &mut Exposition, overview: &Overview, daily_quota: i64) {
    let mut items = text.family("fencepost_items", Kind::Gauge, "Items of the ledger, by state.");
    for (state, count) in [
        ("scheduled", overview.scheduled),
        ("processing", overview.processing),
        ("published", overview.published),
        ("withdrawn", overview.withdrawn),
        ("blocked", overview.blocked),
    ] {
        items.sample(&[("state", state)], count);
    }
    text.gauge("fencepost_items_overdue", "Items due and not out, blocked ones included.", overview.overdue);
    text.gauge(
        "fencepost_items_outstanding",
        "Items due and not out that a job could bring out.",
        overview.outstanding,
    );
    let oldest_ms = overview.outstanding_since.map_or(0, |since| overview.now.since(since));
    text.gauge(
        "fencepost_oldest_outstanding_seconds",
        "For how long the oldest of the outstanding items has been due; 0 without one.",
        Seconds(oldest_ms),
    );
    let quota = DailyQuota::under(overview.quota, daily_quota);
    text.gauge("fencepost_quota_published", "Pages published on the present UTC day.", quota.published);
    text.gauge("fencepost_quota_limit", "How many pages may be published on it.", quota.quota);
    let revision = overview.publication_revision.get();
    text.gauge("fencepost_publication_revision", "Changes of published content so far.", revision);
    text.gauge("fencepost_bank_revision", "Imports, edits and reschedules so far.", overview.bank_revision);
    text.gauge("fencepost_paused", "1 while the site is paused.", u8::from(overview.paused));
    let held = overview.leases.len();
    text.gauge("fencepost_leases_held", "Leases in somebody's hands.", held);
    let mut ages = text.family(
        "fencepost_heartbeat_age_seconds",
        Kind::Gauge,
        "Since when no run of the job has ended; missing for a job of which none ever did.",
    );
    for beat in &overview.heartbeats {
        ages.sample(&[("job", beat.job.as_str())], Seconds(overview.now.since(beat.ended_at)));
    }
}

fn tell_alerts(text: &mut Exposition, alerts: &[Alert]) {
    let mut family = text.family(
        "fencepost_alerts",
        Kind::Gauge,
        "What a person should look at, by kind; 0 when all is well.",
    );
    for kind in AlertKind::ALL {
        let count = alerts.iter().filter(|alert| alert.kind == kind).count();
        family.sample(&[("kind", kind.as_str()), ("severity", kind.severity().as_str())], count);
    }
}

fn tell_counters(text: &mut Exposition, app: &App) {
    let counters = &app.site.counters;
    let mut family =
        text.family("fencepost_outcomes_total", Kind::Counter, "Actions on items, by how they ended.");
    for (outcome, count) in counters.outcomes() {
        family.sample(&[("outcome", outcome.as_str())], count);
    }
    let found = app.site.resolutions.counts();
    let mut family = text.family(
        "fencepost_ambiguous_commits_total",
        Kind::Counter,
        "Looks at the receipts of commits without an answer, by what was seen.",
    );
    for resolution in Resolution::ALL {
        let count = found.get(&resolution).copied().unwrap_or(0);
        family.sample(&[("resolution", resolution.as_str())], count);
    }
    let mut family = text.family(
        "fencepost_cache_answers_total",
        Kind::Counter,
        "Answers to readers, by what came of looking into the cache.",
    );
    for (it, count) in counters.cache_uses() {
        family.sample(&[("result", it.as_str())], count);
    }
    tell_lags(text, &counters.lags());
    tell_store(text, &counters.store().totals());
}

/// What the store was asked for. A call is one step of one use case, so what a use case
/// costs is the sum of its calls. Rows are told where the store tells them.
fn tell_store(text: &mut Exposition, totals: &[(&'static str, CallTotals)]) {
    type Of = fn(&CallTotals) -> Option<u64>;
    let families: [(&'static str, &str, Of); 5] = [
        ("fencepost_store_calls_total", "Batches and queries sent to the database.", |it| Some(it.calls)),
        ("fencepost_store_statements_total", "Statements in them.", |it| Some(it.statements)),
        ("fencepost_store_failures_total", "Those that failed, or were not answered.", |it| {
            Some(it.failures)
        }),
        ("fencepost_store_rows_read_total", "Rows that the database had to read, where it tells.", |it| {
            it.rows_read
        }),
        ("fencepost_store_rows_written_total", "Rows that it wrote, where it tells.", |it| it.rows_written),
    ];
    for (name, help, of) in families {
        let mut family = text.family(name, Kind::Counter, help);
        for (call, total) in totals {
            if let Some(count) = of(total) {
                family.sample(&[("call", call)], count);
            }
        }
    }
}

fn tell_lags(text: &mut Exposition, lags: &LagCounts) {
    let mut family = text.family(
        "fencepost_publish_lag_seconds",
        Kind::Histogram,
        "How long after their due instants answers came out.",
    );
    let mut so_far = 0;
    let bounds = LAG_BOUNDS_MS.map(|ms| Seconds(ms).to_string());
    let bounds = bounds.iter().map(String::as_str).chain(["+Inf"]);
    for (bound, count) in bounds.zip(lags.classes) {
        so_far += count;
        family.suffixed("_bucket", &[("le", bound)], so_far);
    }
    family.suffixed("_sum", &[], Seconds(i64::try_from(lags.sum_ms).unwrap_or(i64::MAX)));
    family.suffixed("_count", &[], so_far);
}
