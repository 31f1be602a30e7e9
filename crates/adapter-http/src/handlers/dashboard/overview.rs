//! `/admin`: how things are, and the switch for all of it.

use axum::{
    extract::{RawQuery, State},
    http::{StatusCode, Uri},
    response::{IntoResponse, Redirect, Response},
};
use fencepost_domain::{catch_up::CatchUp, quota::MAX_DAILY_QUOTA};
use fencepost_ports::Job;

use super::{Operator, fields::Sent, segment};
use crate::{
    announce::deliver_soon,
    cache_headers::html,
    config::App,
    fault::Fault,
    spawner::run_to_the_end,
    view::dashboard::{Done, OverviewPage, Page, RunPage, Seen},
};

/// How many of the last actions the overview shows.
const LAST_ACTIONS: u32 = 5;

/// How things are.
pub(crate) async fn show(
    State(app): State<App>,
    operator: Operator,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    let overview = app.site.status().await?;
    let seen = Seen {
        outbox: app.site.outbox_tally().await?,
        is_told: app.site.outlet.is_some(),
        actions: app.site.last_actions(LAST_ACTIONS).await?,
        overview,
    };
    let page = Page::new(&app, &operator.session, "Overview").done(Done::told_by(query.as_deref()));
    Ok(html(StatusCode::OK, OverviewPage::new(page, &app, seen).html()))
}

/// Stops all that makes content public.
pub(crate) async fn pause(State(app): State<App>, sent: Sent) -> Result<Response, Fault> {
    set_paused(&app, &sent, true).await
}

/// Lets it go on.
pub(crate) async fn resume(State(app): State<App>, sent: Sent) -> Result<Response, Fault> {
    set_paused(&app, &sent, false).await
}

async fn set_paused(app: &App, sent: &Sent, paused: bool) -> Result<Response, Fault> {
    let actor = match sent.actor_or_refuse(app) {
        Ok(actor) => actor,
        Err(refusal) => return Ok(*refusal),
    };
    let site = app.site.clone();
    run_to_the_end(app.spawner.as_ref(), async move { site.set_paused(&actor, paused).await }).await?;
    deliver_soon(app);
    let done = if paused { Done::Paused } else { Done::Resumed };
    Ok(Redirect::to(&format!("/admin?{}", done.query())).into_response())
}

/// Sets the quota of the day, or leaves it to the settings again.
pub(crate) async fn quota(State(app): State<App>, sent: Sent) -> Result<Response, Fault> {
    let actor = match sent.actor_or_refuse(&app) {
        Ok(actor) => actor,
        Err(refusal) => return Ok(*refusal),
    };
    let quota = match sent.field("quota").map(|typed| typed.trim().parse::<i64>()) {
        None => None,
        Some(Ok(quota)) if (0..=MAX_DAILY_QUOTA).contains(&quota) => Some(quota),
        Some(_) => {
            return Ok(unreadable(&app, &sent, "A quota is a whole number up to a million, or nothing."));
        }
    };
    let site = app.site.clone();
    run_to_the_end(app.spawner.as_ref(), async move { site.set_quota(&actor, quota).await }).await?;
    deliver_soon(&app);
    Ok(Redirect::to(&format!("/admin?{}", Done::Set.query())).into_response())
}

/// Sets what jobs do about items that are late.
pub(crate) async fn policy(State(app): State<App>, sent: Sent) -> Result<Response, Fault> {
    const HOUR_MS: i64 = 3_600_000;
    let actor = match sent.actor_or_refuse(&app) {
        Ok(actor) => actor,
        Err(refusal) => return Ok(*refusal),
    };
    let hours = match sent.field("skip_older_than_hours").map(|typed| typed.trim().parse::<i64>()) {
        None => None,
        Some(Ok(hours)) if (1..=CatchUp::LONGEST_MS / HOUR_MS).contains(&hours) => Some(hours),
        Some(_) => return Ok(unreadable(&app, &sent, "An age is a whole number of hours, or nothing.")),
    };
    let policy = CatchUp {
        publish_late: sent.field("publish_late").is_some(),
        skip_older_than: hours.map(|hours| hours * HOUR_MS),
    };
    let site = app.site.clone();
    run_to_the_end(app.spawner.as_ref(), async move { site.set_catch_up(&actor, policy).await }).await?;
    deliver_soon(&app);
    Ok(Redirect::to(&format!("/admin?{}", Done::Set.query())).into_response())
}

fn unreadable(app: &App, sent: &Sent, why: &'static str) -> Response {
    let page = Page::new(app, &sent.operator.session, "That was not done");
    html(StatusCode::UNPROCESSABLE_ENTITY, page.refusal(why))
}

/// Runs a job once, and shows what it did.
pub(crate) async fn run(State(app): State<App>, uri: Uri, sent: Sent) -> Result<Response, Fault> {
    let page = |title| Page::new(&app, &sent.operator.session, title);
    let Ok(job) = segment(&uri, 3).parse::<Job>() else {
        return Ok(html(StatusCode::NOT_FOUND, page("There is nothing here").nothing()));
    };
    let actor = match sent.actor_or_refuse(&app) {
        Ok(actor) => actor,
        Err(refusal) => return Ok(*refusal),
    };
    let (site, stop) = (app.site.clone(), app.stop.clone());
    let run = async move { site.run_job_for(&actor, job, &stop).await };
    let report = run_to_the_end(app.spawner.as_ref(), run).await?;
    Ok(html(StatusCode::OK, RunPage::new(page("What the run did"), report).html()))
}
