//! `/feed.xml`, `/sitemap.xml` and `/robots.txt`: what programs ask for.
//!
//! Feed and sitemap consist of absolute addresses. A site that does not know its own has
//! neither: see [`crate::router()`].

use axum::{
    extract::{Request, State},
    http::header,
    response::Response,
};
use fencepost_application::Address;

use super::page;
use crate::{
    cache_headers::{REVALIDATE, with_type},
    config::App,
    fault::Fault,
};

/// The newest answers.
pub(crate) async fn feed(State(app): State<App>, request: Request) -> Result<Response, Fault> {
    page::serve(&app, Address::Feed, request.headers()).await
}

/// What search engines may keep.
pub(crate) async fn sitemap(State(app): State<App>, request: Request) -> Result<Response, Fault> {
    page::serve(&app, Address::Sitemap, request.headers()).await
}

/// Where robots may go. Nothing of it is in the store, so a store that cannot be read keeps
/// no robot from learning it: one that gets no answer here may stay away for days.
pub(crate) async fn robots(State(app): State<App>) -> Response {
    let mut text = "User-agent: *\nDisallow: /admin\n".to_owned();
    if let Some(sitemap) = app.absolute("/sitemap.xml") {
        text += &format!("\nSitemap: {sitemap}\n");
    }
    let mut response = with_type("text/plain; charset=utf-8", text);
    response.headers_mut().insert(header::CACHE_CONTROL, REVALIDATE);
    response
}
