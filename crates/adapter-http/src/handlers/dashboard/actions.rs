//! `/admin/actions`: what people did.

use axum::{
    extract::{RawQuery, State},
    http::StatusCode,
    response::Response,
};
use url::form_urlencoded;

use super::Operator;
use crate::{
    cache_headers::html,
    config::App,
    fault::Fault,
    handlers::row_number::row_number,
    view::dashboard::{ActionsPage, Page},
};

/// A page of the actions, the newest first.
pub(crate) async fn show(
    State(app): State<App>,
    operator: Operator,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    let pairs = form_urlencoded::parse(query.as_deref().unwrap_or_default().as_bytes());
    let before = pairs.filter(|(name, _)| name == "before").find_map(|(_, number)| row_number(&number));
    let actions = app.site.actions(before).await?;
    let page = Page::new(&app, &operator.session, "Actions");
    Ok(html(StatusCode::OK, ActionsPage::new(page, operator.now, &actions).html()))
}
