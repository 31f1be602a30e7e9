//! What all pages have in common: the use case decides, the view renders, the headers say
//! what may be kept.

use axum::{http::HeaderMap, response::Response};
use fencepost_application::Address;
use fencepost_ports::StoreError;

use crate::{cache_headers::respond, config::App, view};

/// Answers a request for an address that may have an answer.
pub(crate) async fn serve<E: From<StoreError>>(
    app: &App,
    address: Address,
    request: &HeaderMap,
) -> Result<Response, E> {
    Ok(served(app, address, request).await?)
}

/// All of it that does not depend on how an error is told.
async fn served(app: &App, address: Address, request: &HeaderMap) -> Result<Response, StoreError> {
    let render = |content| view::render(app, content);
    let served = app.site.serve_page(app.cache_space(), &address, render).await?;
    app.heed_overdue(served.overdue, served.now);
    Ok(respond(served, request))
}
