//! `/admin`: how things are, and the switch for all of it.

use axum::{
    extract::{RawQuery, State},
    http::{StatusCode, Uri},
    response::{IntoResponse, Redirect, Response},
};
use fencepost_application::SetError;
use fencepost_domain::{
    catch_up::CatchUp,
    quota::{DailyQuota, MAX_DAILY_QUOTA},
};
use fencepost_ports::Job;

use super::{Operator, fields::Sent, segment};
use crate::{
    announce::deliver_soon,
    cache_headers::html,
    config::App,
    fault::Fault,
    spawner::run_to_the_end,
    view::dashboard::{Done, OverviewPage, Page, RunPage, Seen, shown_hours},
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
    let (site, expected) = (app.site.clone(), seen(&sent, "expected_quota"));
    let set = async move { site.set_quota(&actor, quota, expected).await };
    let set = run_to_the_end(app.spawner.as_ref(), set).await;
    told(&app, &sent, set, quota_that_stands)
}

/// Sets what jobs do about items that are late.
pub(crate) async fn policy(State(app): State<App>, sent: Sent) -> Result<Response, Fault> {
    const HOUR_MS: i64 = 3_600_000;
    let actor = match sent.actor_or_refuse(&app) {
        Ok(actor) => actor,
        Err(refusal) => return Ok(*refusal),
    };
    let expected = seen_policy(&sent);
    let seen_age = expected.and_then(|seen| seen.skip_older_than);
    let skip_older_than = match sent.field("skip_older_than_hours").map(|typed| typed.trim().parse::<i64>()) {
        None => None,
        // Hours that were shown, and left alone, change nothing of the age behind them.
        Some(Ok(hours)) if seen_age.map(shown_hours) == Some(hours) => seen_age,
        Some(Ok(hours)) if (1..=CatchUp::LONGEST_MS / HOUR_MS).contains(&hours) => Some(hours * HOUR_MS),
        Some(_) => return Ok(unreadable(&app, &sent, "An age is a whole number of hours, or nothing.")),
    };
    let policy = CatchUp { publish_late: sent.field("publish_late").is_some(), skip_older_than };
    let site = app.site.clone();
    let set = async move { site.set_catch_up(&actor, policy, expected).await };
    let set = run_to_the_end(app.spawner.as_ref(), set).await;
    told(&app, &sent, set, policy_that_stands)
}

/// A number as the page of the form showed it: `none` is none, and a form that does not tell
/// expects nothing.
fn seen(sent: &Sent, name: &str) -> Option<Option<i64>> {
    match sent.field(name)? {
        "none" => Some(None),
        number => number.parse().ok().map(Some),
    }
}

/// The policy as the page of the form showed it. An age of it that is kept needs no judging:
/// unless it is what stands, nothing is set.
fn seen_policy(sent: &Sent) -> Option<CatchUp> {
    let publish_late = sent.field("expected_publish_late")? == "yes";
    Some(CatchUp { publish_late, skip_older_than: seen(sent, "expected_skip_older_than")? })
}

/// The way back from a setting that was set, or the page that says what stands instead.
fn told<T>(
    app: &App,
    sent: &Sent,
    set: Result<T, SetError<T>>,
    that_stands: fn(&T) -> String,
) -> Result<Response, Fault> {
    match set {
        Ok(_) => {
            deliver_soon(app);
            Ok(Redirect::to(&format!("/admin?{}", Done::Set.query())).into_response())
        }
        Err(SetError::NotSet(stands)) => {
            let page = Page::new(app, &sent.operator.session, "That was not done");
            let why =
                format!("Nothing was changed: somebody else has set it meanwhile. {}", that_stands(&stands));
            Ok(html(StatusCode::CONFLICT, page.refusal(why)))
        }
        Err(SetError::Store(error)) => Err(error.into()),
    }
}

fn quota_that_stands(day: &DailyQuota) -> String {
    match day.set_quota {
        Some(set) => format!("The quota of today is {set} now."),
        None => "The quota of today is left to the settings now.".to_owned(),
    }
}

fn policy_that_stands(policy: &CatchUp) -> String {
    let late = if policy.publish_late { "publish" } else { "do not publish" };
    let age = policy.skip_older_than.map_or_else(String::new, |ms| {
        format!(", and leave alone what was due more than {} seconds ago", ms / 1_000)
    });
    format!("Jobs now {late} what was due on an earlier day{age}.")
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
