//! `/admin/outbox`: what others are told, and what became of it.

use axum::{
    extract::{RawQuery, State},
    http::{StatusCode, Uri},
    response::{IntoResponse, Redirect, Response},
};
use fencepost_domain::outbox::{EventId, EventState};
use url::form_urlencoded;

use super::{Operator, fields::Sent, nothing_for, segment};
use crate::{
    announce::deliver_soon,
    cache_headers::html,
    config::App,
    fault::Fault,
    handlers::row_number::row_number,
    spawner::run_to_the_end,
    view::dashboard::{Done, OutboxPage, Page},
};

/// A page of the events, the newest first.
pub(crate) async fn show(
    State(app): State<App>,
    operator: Operator,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    page(&app, &operator, query.as_deref(), None).await
}

async fn page(
    app: &App,
    operator: &Operator,
    query: Option<&str>,
    complaint: Option<&str>,
) -> Result<Response, Fault> {
    let field = |name: &str| {
        let mut pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        pairs.find(|(known, _)| known == name).map(|(_, value)| value)
    };
    let before = field("before").and_then(|number| row_number(&number));
    let state: Option<EventState> = field("state").and_then(|word| word.parse().ok());
    let tally = app.site.outbox_tally().await?;
    let events = app.site.events(state, before).await?;
    let page = Page::new(app, &operator.session, "Outbox").done(Done::told_by(query));
    let (status, page) = match complaint {
        Some(why) => (StatusCode::CONFLICT, page.complaining(why.to_owned())),
        None => (StatusCode::OK, page),
    };
    let is_told = app.site.outlet.is_some();
    Ok(html(status, OutboxPage::new(page, operator.now, is_told, tally, state, events).html()))
}

/// Lets an event be tried at once.
pub(crate) async fn retry(State(app): State<App>, uri: Uri, sent: Sent) -> Result<Response, Fault> {
    let Ok(event) = segment(&uri, 3).parse::<EventId>() else {
        return Ok(nothing_for(&app, &sent.operator));
    };
    let actor = match sent.actor_or_refuse(&app) {
        Ok(actor) => actor,
        Err(refusal) => return Ok(*refusal),
    };
    let site = app.site.clone();
    let retry = async move { site.retry_event(&actor, &event).await };
    match run_to_the_end(app.spawner.as_ref(), retry).await? {
        None => Ok(nothing_for(&app, &sent.operator)),
        Some(entry) if entry.state == EventState::Delivered => {
            page(&app, &sent.operator, None, Some("Nothing was changed: the receiver has that event.")).await
        }
        Some(_) => {
            deliver_soon(&app);
            Ok(Redirect::to(&format!("/admin/outbox?{}", Done::Resent.query())).into_response())
        }
    }
}
