//! `/admin/api/outbox`: what others are told, and what became of it.

use axum::extract::{RawQuery, State};
use fencepost_domain::outbox::{EventId, EventState, OutboxEntry};
use serde::Serialize;
use url::form_urlencoded;

use super::{actor::By, path::Segment};
use crate::{
    announce::deliver_soon, config::App, handlers::row_number::row_number, json::JsonAnswer,
    problem::Problem, spawner::run_to_the_end,
};

/// A page of the outbox.
#[derive(Debug, Serialize)]
pub(crate) struct EventList {
    events: Vec<OutboxEntry>,
    /// Ask for `?before=` this number to go on; `None` once a page is empty.
    next_before: Option<i64>,
}

/// Events, the newest first.
pub(crate) async fn list(
    State(app): State<App>,
    RawQuery(query): RawQuery,
) -> Result<JsonAnswer<EventList>, Problem> {
    let (mut state, mut before) = (None, None);
    for (name, value) in form_urlencoded::parse(query.as_deref().unwrap_or_default().as_bytes()) {
        match &*name {
            "state" => state = Some(self::state(&value)?),
            "before" => before = Some(self::number(&value)?),
            _ => {}
        }
    }
    let events = app.site.events(state, before).await?;
    let next_before = events.last().map(|event| event.number);
    Ok(JsonAnswer(EventList { events, next_before }))
}

fn state(text: &str) -> Result<EventState, Problem> {
    text.parse().map_err(|()| Problem::invalid_query("state", "the states are pending, delivered and dead"))
}

fn number(text: &str) -> Result<i64, Problem> {
    row_number(text).ok_or_else(|| Problem::invalid_query("before", "write the number of an event"))
}

/// Lets an event be tried at once.
pub(crate) async fn retry(
    State(app): State<App>,
    By(actor): By,
    Segment(event): Segment<EventId>,
) -> Result<JsonAnswer<OutboxEntry>, Problem> {
    let site = app.site.clone();
    let retry = async move { site.retry_event(&actor, &event).await };
    let entry = run_to_the_end(app.spawner.as_ref(), retry).await?.ok_or_else(Problem::not_found)?;
    if entry.state == EventState::Delivered {
        return Err(Problem::already_delivered(&entry.event.event_id));
    }
    deliver_soon(&app);
    Ok(JsonAnswer(entry))
}
