//! The site as a whole: pause, resume, verify, status, doctor.

use std::collections::BTreeMap;

use axum::extract::{RawQuery, State};
use fencepost_application::{Check, CheckStatus};
use fencepost_domain::{alert::Alert, outbox::OutboxTally, resolution::Resolution};
use fencepost_ports::{Overview, Violation};
use serde::Serialize;

use crate::{config::App, json::JsonAnswer, problem::Problem, spawner::run_to_the_end};

/// Whether the site is paused now.
#[derive(Debug, Serialize)]
pub(crate) struct Pause {
    paused: bool,
}

/// Stops all that makes content public.
pub(crate) async fn pause(State(app): State<App>) -> Result<JsonAnswer<Pause>, Problem> {
    set_paused(&app, true).await
}

/// Lets it go on.
pub(crate) async fn resume(State(app): State<App>) -> Result<JsonAnswer<Pause>, Problem> {
    set_paused(&app, false).await
}

async fn set_paused(app: &App, paused: bool) -> Result<JsonAnswer<Pause>, Problem> {
    let site = app.site.clone();
    run_to_the_end(app.spawner.as_ref(), async move { site.set_paused(paused).await }).await?;
    Ok(JsonAnswer(Pause { paused }))
}

/// Whether all is well, and what is not.
#[derive(Debug, Serialize)]
pub(crate) struct Verified {
    ok: bool,
    violations: Vec<Violation>,
}

/// Checks the whole store. A violation is a finding and not a failure of the request.
pub(crate) async fn verify(State(app): State<App>) -> Result<JsonAnswer<Verified>, Problem> {
    let violations = app.site.verify().await?;
    Ok(JsonAnswer(Verified { ok: violations.is_empty(), violations }))
}

/// What a person wants to know at a glance.
#[derive(Debug, Serialize)]
pub(crate) struct Status {
    environment: String,
    build_version: &'static str,
    #[serde(flatten)]
    overview: Overview,
    /// What others are told.
    outbox: OutboxTally,
    /// What became of commits that got no answer, since this process or instance of the
    /// Worker began: other processes count for themselves.
    ambiguous: BTreeMap<Resolution, u64>,
    /// What a person should look at.
    alerts: Vec<Alert>,
}

/// The overview, and what is running.
pub(crate) async fn status(State(app): State<App>) -> Result<JsonAnswer<Status>, Problem> {
    let overview = app.site.status().await?;
    Ok(JsonAnswer(Status {
        environment: app.environment.clone(),
        build_version: app.build_version,
        alerts: app.site.alerts(&overview),
        overview,
        outbox: app.site.outbox_tally().await?,
        ambiguous: app.site.resolutions.counts(),
    }))
}

/// Whether the deployment is as it should be.
#[derive(Debug, Serialize)]
pub(crate) struct Diagnosis {
    /// Whether nothing failed.
    ok: bool,
    checks: Vec<Check>,
}

/// Looks the deployment over; with `?photos=true` it asks the hosts of photos as well. A
/// failure is a finding and not one of the request.
pub(crate) async fn doctor(
    State(app): State<App>,
    RawQuery(query): RawQuery,
) -> Result<JsonAnswer<Diagnosis>, Problem> {
    let asks_photo_hosts = match query.as_deref().unwrap_or_default() {
        "" | "photos=false" => false,
        "photos=true" => true,
        _ => {
            return Err(Problem::invalid_query(
                "photos",
                "ask for photos=true or photos=false, and nothing else",
            ));
        }
    };
    let checks = app.site.doctor(&app.setup(asks_photo_hosts)).await;
    let ok = checks.iter().all(|check| check.status != CheckStatus::Failure);
    Ok(JsonAnswer(Diagnosis { ok, checks }))
}
