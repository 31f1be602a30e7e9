//! `/admin/runs`: what the jobs did.

use axum::{
    extract::{RawQuery, State},
    http::StatusCode,
    response::Response,
};

use super::Operator;
use crate::{
    cache_headers::html,
    config::App,
    fault::Fault,
    handlers::row_number::before,
    view::dashboard::{Page, RunsPage},
};

/// A page of the runs, the newest first.
pub(crate) async fn show(
    State(app): State<App>,
    operator: Operator,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    let runs = app.site.runs(before(query.as_deref())).await?;
    let page = Page::new(&app, &operator.session, "Runs");
    Ok(html(StatusCode::OK, RunsPage::new(page, operator.now, runs).html()))
}
