//! `/admin/items/{id}`: one item, why it is not out, and what can be done.

use axum::{
    extract::{RawQuery, State},
    http::{StatusCode, Uri},
    response::{IntoResponse, Redirect, Response},
};
use fencepost_application::{
    ActionError, Expected, ItemExplanation, ItemReport, RescheduleError, RetryError,
};
use fencepost_domain::{
    action::Actor,
    id::{ContentVersion, PuzzleId},
    time::UnixMillis,
};
use fencepost_ports::StoreError;

use super::{Operator, fields::Sent, nothing_for, segment};
use crate::{
    announce::deliver_soon,
    cache_headers::html,
    config::App,
    fault::Fault,
    handlers::admin::took_place,
    preview_link,
    spawner::run_to_the_end,
    view::dashboard::{Beside, Done, ItemPage, Page},
};

/// One item.
pub(crate) async fn show(
    State(app): State<App>,
    operator: Operator,
    uri: Uri,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    let Some((puzzle_id, item)) = item(&app, segment(&uri, 3)).await? else {
        return Ok(nothing_for(&app, &operator));
    };
    let page = page(&app, &operator, puzzle_id).done(Done::told_by(query.as_deref()));
    respond(&app, StatusCode::OK, page, item).await
}

async fn respond(
    app: &App,
    status: StatusCode,
    page: Page,
    item: ItemExplanation,
) -> Result<Response, Fault> {
    let runs = app.site.runs_behind(&item.history).await?;
    let (earlier, later) = match item.puzzle.as_ref().map(|puzzle| puzzle.play_date) {
        Some(date) => (app.site.item_before(date).await?, app.site.item_after(date).await?),
        None => (None, None),
    };
    Ok(html(status, ItemPage::new(page, app, item, Beside { runs, earlier, later }).html()))
}

fn page<'a>(app: &'a App, operator: &'a Operator, puzzle_id: PuzzleId) -> Page {
    Page::new(app, &operator.session, &format!("No. {puzzle_id}"))
}

async fn item(app: &App, id: &str) -> Result<Option<(PuzzleId, ItemExplanation)>, StoreError> {
    let Ok(puzzle_id) = id.parse::<PuzzleId>() else { return Ok(None) };
    match app.site.item(puzzle_id).await {
        Ok(item) => Ok(Some((puzzle_id, item))),
        Err(ActionError::UnknownPuzzle(_)) => Ok(None),
        Err(ActionError::Store(error)) => Err(error),
    }
}

/// Why something was not done, for the one who wanted it.
enum Refused {
    Nothing,
    Because(StatusCode, String),
}

/// Does one of the things that can be done with an item.
pub(crate) async fn act(State(app): State<App>, uri: Uri, sent: Sent) -> Result<Response, Fault> {
    let (id, action) = (segment(&uri, 3), segment(&uri, 4));
    let Ok(puzzle_id) = id.parse::<PuzzleId>() else { return Ok(nothing_for(&app, &sent.operator)) };
    match done(&app, puzzle_id, action, &sent).await? {
        Ok(onward) => Ok(Redirect::to(&onward).into_response()),
        Err(Refused::Nothing) => Ok(nothing_for(&app, &sent.operator)),
        Err(Refused::Because(status, why)) => {
            let Some((_, item)) = item(&app, id).await? else { return Ok(nothing_for(&app, &sent.operator)) };
            let page = page(&app, &sent.operator, puzzle_id).complaining(why);
            respond(&app, status, page, item).await
        }
    }
}

/// Where to go on after it was done.
async fn done(
    app: &App,
    puzzle_id: PuzzleId,
    action: &str,
    sent: &Sent,
) -> Result<Result<String, Refused>, StoreError> {
    let actor = match sent.actor() {
        Ok(actor) => actor,
        Err(error) => {
            return Ok(Err(Refused::Because(
                StatusCode::UNPROCESSABLE_ENTITY,
                format!("Not done: {error}."),
            )));
        }
    };
    let site = app.site.clone();
    let expected = expected(sent);
    let reported = match action {
        "withdraw" => run(app, async move { site.withdraw(&actor, puzzle_id, expected).await }).await,
        "reinstate" => run(app, async move { site.reinstate(&actor, puzzle_id, expected).await }).await,
        "republish" => run(app, async move { site.republish(&actor, puzzle_id, expected).await }).await,
        "retry" => return retried(app, puzzle_id, actor, expected).await,
        "reschedule" => return rescheduled(app, puzzle_id, sent, actor).await,
        "preview" => return previewed(app, puzzle_id, sent, actor).await,
        _ => return Ok(Err(Refused::Nothing)),
    };
    let report = match reported {
        Ok(report) => report,
        Err(ActionError::UnknownPuzzle(_)) => return Ok(Err(Refused::Nothing)),
        Err(ActionError::Store(error)) => return Err(error),
    };
    if took_place(report.outcome) {
        let done = Done::Outcome(report.outcome);
        return Ok(Ok(format!("/admin/items/{puzzle_id}?{}", done.query())));
    }
    Ok(Err(Refused::Because(StatusCode::CONFLICT, why_not(&report))))
}

/// How the page of the form showed the item.
fn expected(sent: &Sent) -> Expected {
    let version = sent.field("expected_content_version").and_then(|version| version.parse().ok());
    Expected {
        state: sent.field("expected_state").and_then(|state| state.parse().ok()),
        content_version: version.map(ContentVersion::new),
    }
}

async fn retried(
    app: &App,
    puzzle_id: PuzzleId,
    actor: Actor,
    expected: Expected,
) -> Result<Result<String, Refused>, StoreError> {
    let site = app.site.clone();
    let retry = async move { site.retry(&actor, puzzle_id, expected).await };
    match run_to_the_end(app.spawner.as_ref(), retry).await {
        Ok(_) => Ok(Ok(format!("/admin/items/{puzzle_id}?{}", Done::Retried.query()))),
        Err(RetryError::UnknownPuzzle(_)) => Ok(Err(Refused::Nothing)),
        Err(RetryError::Store(error)) => Err(error),
        Err(refusal @ RetryError::NotRetried(_)) => {
            Ok(Err(Refused::Because(StatusCode::CONFLICT, format!("Nothing was changed: {refusal}."))))
        }
    }
}

async fn run(
    app: &App,
    action: impl Future<Output = Result<ItemReport, ActionError>> + Send + 'static,
) -> Result<ItemReport, ActionError> {
    let report = run_to_the_end(app.spawner.as_ref(), action).await;
    deliver_soon(app);
    report
}

fn why_not(report: &ItemReport) -> String {
    let mut reasons: Vec<&str> = report.detail.as_deref().into_iter().collect();
    reasons.extend(report.blocked_by.iter().map(|predicate| predicate.complaint()));
    let because = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
    format!("Nothing was changed ({}){because}.", report.outcome.as_str())
}

async fn rescheduled(
    app: &App,
    puzzle_id: PuzzleId,
    sent: &Sent,
    actor: Actor,
) -> Result<Result<String, Refused>, StoreError> {
    let unreadable = |why: String| Ok(Err(Refused::Because(StatusCode::UNPROCESSABLE_ENTITY, why)));
    let due_at = match sent.field("due_at").map(instant) {
        Some(Some(due_at)) => due_at,
        Some(None) => return unreadable("Write the instant in UTC, such as 2026-11-29T00:10.".to_owned()),
        None => return unreadable("When is the answer to come? Nothing was typed.".to_owned()),
    };
    let expected = sent.field("expected_due_at").and_then(|ms| ms.parse().ok()).map(UnixMillis::new);
    let site = app.site.clone();
    let change = async move { site.reschedule(&actor, puzzle_id, due_at, expected).await };
    match run_to_the_end(app.spawner.as_ref(), change).await {
        Ok(_) => Ok(Ok(format!("/admin/items/{puzzle_id}?{}", Done::Rescheduled.query()))),
        Err(RescheduleError::UnknownPuzzle(_)) => Ok(Err(Refused::Nothing)),
        Err(RescheduleError::Store(error)) => Err(error),
        Err(refusal @ (RescheduleError::BeforeEndOfPlay { .. } | RescheduleError::NotMoved(_))) => {
            Ok(Err(Refused::Because(StatusCode::CONFLICT, format!("Nothing was changed: {refusal}."))))
        }
    }
}

/// An instant as a browser's field for one has it, in UTC: `2026-11-29T00:10`, or with seconds.
fn instant(typed: &str) -> Option<UnixMillis> {
    let typed = typed.trim().trim_end_matches('Z');
    [format!("{typed}Z"), format!("{typed}:00Z")].iter().find_map(|text| text.parse().ok())
}

/// A link to a preview that works for an hour.
async fn previewed(
    app: &App,
    puzzle_id: PuzzleId,
    sent: &Sent,
    actor: Actor,
) -> Result<Result<String, Refused>, StoreError> {
    const HOUR_MS: i64 = 3_600_000;
    let address = fencepost_application::PreviewAddress { puzzle_id, photo: None };
    let expires_at = sent.operator.now.plus(HOUR_MS);
    let Some(link) = preview_link::link(app, &address, expires_at) else { return Ok(Err(Refused::Nothing)) };
    let site = app.site.clone();
    let record = async move { site.record_preview(&actor, puzzle_id, expires_at).await };
    run_to_the_end(app.spawner.as_ref(), record).await?;
    Ok(Ok(link))
}
