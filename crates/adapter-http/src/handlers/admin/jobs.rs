//! `POST /admin/api/jobs/{job}`: run a job now and tell what it did.

use axum::extract::State;
use fencepost_application::RunReport;
use fencepost_ports::Job;

use super::path::Segment;
use crate::{config::App, json::JsonAnswer, problem::Problem, spawner::run_to_the_end};

/// Runs a job once.
pub(crate) async fn run(
    State(app): State<App>,
    Segment(job): Segment<Job>,
) -> Result<JsonAnswer<RunReport>, Problem> {
    let (site, stop) = (app.site.clone(), app.stop.clone());
    let run = async move { site.run_job(job, &stop).await };
    Ok(JsonAnswer(run_to_the_end(app.spawner.as_ref(), run).await?))
}
