//! `/admin/actions`: what people did.

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
    view::dashboard::{ActionsPage, Page},
};

/// A page of the actions, the newest first.
pub(crate) async fn show(
    State(app): State<App>,
    operator: Operator,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    let actions = app.site.actions(before(query.as_deref())).await?;
    let page = Page::new(&app, &operator.session, "Actions");
    Ok(html(StatusCode::OK, ActionsPage::new(page, operator.now, &actions).html()))
}
