//! `/admin/items`: the ledger, as a calendar.

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
    handlers::answers,
    view::dashboard::{CalendarPage, Page},
};

/// A page of the calendar.
pub(crate) async fn show(
    State(app): State<App>,
    operator: Operator,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    // A date that is none begins at the beginning, where the reader sees what there is.
    let before = answers::before(query.as_deref()).ok().flatten();
    let items = app.site.items(before).await?;
    let page = Page::new(&app, &operator.session, "Calendar");
    Ok(html(StatusCode::OK, CalendarPage::new(page, operator.now, before, items).html()))
}
