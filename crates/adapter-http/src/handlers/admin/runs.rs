//! `/admin/api/runs`: what the jobs did, and which build did it.

use axum::extract::{RawQuery, State};
use fencepost_ports::LoggedRun;
use serde::Serialize;

use super::path::before;
use crate::{config::App, json::JsonAnswer, problem::Problem};

/// A page of the runs.
#[derive(Debug, Serialize)]
pub(crate) struct RunList {
    runs: Vec<LoggedRun>,
    /// Ask for `?before=` this number to go on; `None` once a page is empty.
    next_before: Option<i64>,
}

/// Runs, the newest first.
pub(crate) async fn list(
    State(app): State<App>,
    RawQuery(query): RawQuery,
) -> Result<JsonAnswer<RunList>, Problem> {
    let runs = app.site.runs(before(query.as_deref(), "a run")?).await?;
    let next_before = runs.last().map(|run| run.number);
    Ok(JsonAnswer(RunList { runs, next_before }))
}
