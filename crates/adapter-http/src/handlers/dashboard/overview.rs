//! `/admin`: how things are, and the switch for all of it.

use axum::{
    extract::{RawQuery, State},
    http::{StatusCode, Uri},
    response::{IntoResponse, Redirect, Response},
};
use fencepost_ports::Job;

use super::{Operator, fields::Sent, segment};
use crate::{
    cache_headers::html,
    config::App,
    fault::Fault,
    spawner::run_to_the_end,
    view::dashboard::{Done, OverviewPage, Page, RunPage},
};

/// How things are.
pub(crate) async fn show(
    State(app): State<App>,
    operator: Operator,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    let overview = app.site.status().await?;
    let page = Page::new(&app, &operator.session, "Overview").done(Done::told_by(query.as_deref()));
    Ok(html(StatusCode::OK, OverviewPage::new(page, &app, overview).html()))
}

/// Stops all that makes content public.
pub(crate) async fn pause(State(app): State<App>, _: Sent) -> Result<Response, Fault> {
    set_paused(&app, true).await
}

/// Lets it go on.
pub(crate) async fn resume(State(app): State<App>, _: Sent) -> Result<Response, Fault> {
    set_paused(&app, false).await
}

async fn set_paused(app: &App, paused: bool) -> Result<Response, Fault> {
    let site = app.site.clone();
    run_to_the_end(app.spawner.as_ref(), async move { site.set_paused(paused).await }).await?;
    let done = if paused { Done::Paused } else { Done::Resumed };
    Ok(Redirect::to(&format!("/admin?{}", done.query())).into_response())
}

/// Runs a job once, and shows what it did.
pub(crate) async fn run(State(app): State<App>, uri: Uri, sent: Sent) -> Result<Response, Fault> {
    let page = |title| Page::new(&app, &sent.operator.session, title);
    let Ok(job) = segment(&uri, 3).parse::<Job>() else {
        return Ok(html(StatusCode::NOT_FOUND, page("There is nothing here").nothing()));
    };
    let (site, stop) = (app.site.clone(), app.stop.clone());
    let report = run_to_the_end(app.spawner.as_ref(), async move { site.run_job(job, &stop).await }).await?;
    Ok(html(StatusCode::OK, RunPage::new(page("What the run did"), report).html()))
}
