//! `POST /admin/api/jobs/{job}`: run a job now and tell what it did, or only tell what it
//! would do.

use axum::extract::{RawQuery, State};
use fencepost_application::{DryRunReport, RunReport};
use fencepost_ports::Job;
use serde::Serialize;

use super::{actor::By, path::Segment};
use crate::{config::App, json::JsonAnswer, problem::Problem, spawner::run_to_the_end};

/// What became of a run, or what would.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Ran {
    Run(RunReport),
    DryRun(DryRunReport),
}

/// Runs a job once; or, with `?dry_run=true`, rehearses it.
pub(crate) async fn run(
    State(app): State<App>,
    Segment(job): Segment<Job>,
    By(actor): By,
    RawQuery(query): RawQuery,
) -> Result<JsonAnswer<Ran>, Problem> {
    if dry_run(query.as_deref())? {
        // Whoever hangs up is not interested any more, and nothing is left halfway.
        return Ok(JsonAnswer(Ran::DryRun(app.site.rehearse_job(job, &app.stop).await?)));
    }
    let (site, stop) = (app.site.clone(), app.stop.clone());
    let run = async move { site.run_job_for(&actor, job, &stop).await };
    Ok(JsonAnswer(Ran::Run(run_to_the_end(app.spawner.as_ref(), run).await?)))
}

/// Whether nothing is to be done. Whoever asks for that in other words than these, or misspells
/// them, must not find that everything was done: so a query is all understood or refused.
fn dry_run(query: Option<&str>) -> Result<bool, Problem> {
    match query.unwrap_or_default() {
        "" | "dry_run=false" => Ok(false),
        "dry_run=true" => Ok(true),
        _ => {
            Err(Problem::invalid_query("dry_run", "ask for dry_run=true or dry_run=false, and nothing else"))
        }
    }
}
