//! `/admin/api/actions`: what people did.

use axum::extract::{RawQuery, State};
use fencepost_domain::action::LoggedAction;
use serde::Serialize;

use super::path::before;
use crate::{config::App, json::JsonAnswer, problem::Problem};

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
    let actions = app.site.actions(before(query.as_deref(), "an action")?).await?;
    let next_before = actions.last().map(|action| action.number);
    Ok(JsonAnswer(ActionList { actions, next_before }))
}
