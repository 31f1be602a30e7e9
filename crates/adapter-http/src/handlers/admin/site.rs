//! The site as a whole: pause, resume, verify, status, doctor.

use std::collections::BTreeMap;

use axum::extract::{RawQuery, State};
use fencepost_application::{Check, CheckStatus};
use fencepost_domain::{
    action::Actor,
    alert::Alert,
    catch_up::CatchUp,
    outbox::OutboxTally,
    quota::{DailyQuota, MAX_DAILY_QUOTA},
    resolution::Resolution,
};
use fencepost_ports::{Overview, Violation};
use serde::{Deserialize, Deserializer, Serialize};

use super::actor::By;
use crate::{
    announce::deliver_soon,
    config::App,
    json::{JsonAnswer, JsonBody},
    problem::Problem,
    spawner::run_to_the_end,
};

/// Whether the site is paused now.
#[derive(Debug, Serialize)]
pub(crate) struct Pause {
    paused: bool,
}

/// Stops all that makes content public.
pub(crate) async fn pause(State(app): State<App>, By(actor): By) -> Result<JsonAnswer<Pause>, Problem> {
    set_paused(&app, actor, true).await
}

/// Lets it go on.
pub(crate) async fn resume(State(app): State<App>, By(actor): By) -> Result<JsonAnswer<Pause>, Problem> {
    set_paused(&app, actor, false).await
}

async fn set_paused(app: &App, actor: Actor, paused: bool) -> Result<JsonAnswer<Pause>, Problem> {
    let site = app.site.clone();
    run_to_the_end(app.spawner.as_ref(), async move { site.set_paused(&actor, paused).await }).await?;
    deliver_soon(app);
    Ok(JsonAnswer(Pause { paused }))
}

/// How many pages may be published today, and how many its sender has seen, if that
/// matters; null leaves it to the settings again.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with quota, and maybe expected_quota")]
pub(crate) struct QuotaBody {
    #[serde(deserialize_with = "Option::deserialize")]
    quota: Option<i64>,
    #[serde(default, deserialize_with = "given")]
    expected_quota: Option<Option<i64>>,
}

/// A field that is there, and may be null in its own right: one that is not there is `None`.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Sets the quota of the present day.
pub(crate) async fn quota(
    State(app): State<App>,
    By(actor): By,
    JsonBody(body): JsonBody<QuotaBody>,
) -> Result<JsonAnswer<DailyQuota>, Problem> {
    if body.quota.is_some_and(|quota| !(0..=MAX_DAILY_QUOTA).contains(&quota)) {
        return Err(Problem::invalid_setting("quota", 0, MAX_DAILY_QUOTA));
    }
    let site = app.site.clone();
    let set = async move { site.set_quota(&actor, body.quota, body.expected_quota).await };
    let day = run_to_the_end(app.spawner.as_ref(), set).await?;
    deliver_soon(&app);
    Ok(JsonAnswer(day))
}

/// What jobs do about items that are late, as a whole: who sets one part has seen the other.
#[derive(Debug, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "an object with publish_late and skip_older_than_seconds, and maybe expected"
)]
pub(crate) struct PolicyBody {
    publish_late: bool,
    #[serde(deserialize_with = "Option::deserialize")]
    skip_older_than_seconds: Option<i64>,
    #[serde(default, deserialize_with = "given")]
    expected: Option<SeenPolicy>,
}

/// The policy as its sender has seen it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with publish_late and skip_older_than_seconds")]
struct SeenPolicy {
    publish_late: bool,
    #[serde(deserialize_with = "Option::deserialize")]
    skip_older_than_seconds: Option<i64>,
}

fn catch_up(publish_late: bool, skip_older_than_seconds: Option<i64>) -> CatchUp {
    let skip_older_than = skip_older_than_seconds.map(|seconds| seconds.saturating_mul(1_000));
    CatchUp { publish_late, skip_older_than }
}

/// Sets what jobs do about items that are late.
pub(crate) async fn policy(
    State(app): State<App>,
    By(actor): By,
    JsonBody(body): JsonBody<PolicyBody>,
) -> Result<JsonAnswer<CatchUp>, Problem> {
    const LEAST: i64 = 1;
    const MOST: i64 = CatchUp::LONGEST_MS / 1_000;
    if body.skip_older_than_seconds.is_some_and(|age| !(LEAST..=MOST).contains(&age)) {
        return Err(Problem::invalid_setting("skip_older_than_seconds", LEAST, MOST));
    }
    let policy = catch_up(body.publish_late, body.skip_older_than_seconds);
    let expected = body.expected.map(|seen| catch_up(seen.publish_late, seen.skip_older_than_seconds));
    let site = app.site.clone();
    let set = async move { site.set_catch_up(&actor, policy, expected).await };
    let policy = run_to_the_end(app.spawner.as_ref(), set).await?;
    deliver_soon(&app);
    Ok(JsonAnswer(policy))
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
