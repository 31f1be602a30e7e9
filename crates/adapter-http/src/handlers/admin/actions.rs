//! `/admin/api/actions`: what people did.

use axum::extract::{RawQuery, State};
use fencepost_domain::action::LoggedAction;
use serde::Serialize;

use crate::{config::App, handlers::row_number::row_number, json::JsonAnswer, problem::Problem};

/// A page of the actions.
#[derive(Debug, Serialize)]
pub(crate) struct ActionList {
    actions: Vec<LoggedAction>,
    /// Ask for `?before=` this number to go on; `None` once a page is empty.
    next_before: Option<i64>,
}

/// Actions, the newest first.
pub(crate) async fn list(
    State(app): State<App>,
    RawQuery(query): RawQuery,
) -> Result<JsonAnswer<ActionList>, Problem> {
    let actions = app.site.actions(before(query.as_deref())?).await?;
    let next_before = actions.last().map(|action| action.number);
    Ok(JsonAnswer(ActionList { actions, next_before }))
}

fn before(query: Option<&str>) -> Result<Option<i64>, Problem> {
    let Some(query) = query.filter(|query| !query.is_empty()) else { return Ok(None) };
    let number = query.strip_prefix("before=").and_then(row_number);
    number.map(Some).ok_or_else(|| {
        Problem::invalid_query("before", "ask for before= the number of an action, and nothing else")
    })
}
