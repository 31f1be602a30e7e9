//! `/`: the game of the day.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
};

use crate::{cache_headers::HtmlPage, config::App, fault::Fault, view::HomeView};

/// Today's puzzle and the newest answers.
pub(crate) async fn home(State(app): State<App>, request: HeaderMap) -> Result<Response, Fault> {
    let page = app.heed(app.site.home().await?);
    let html = HomeView::new(&app, page.content).html();
    let page = HtmlPage {
        status: StatusCode::OK,
        revision: page.revision,
        html,
        indexable: true,
        retry_after: None,
    };
    Ok(page.respond_to(&request))
}
