//! The list of addresses.
//!
//! It is a match, and not a table that is put together when a site begins: a Worker begins
//! with every request, and would put together some sixty handlers to call one.

use axum::{
    Router,
    body::{Body, HttpBody},
    extract::Request,
    http::{Method, Uri, header},
    response::Response,
};

use crate::{
    HttpConfig,
    asked::Asked,
    config::App,
    endpoint::{Place, endpoint, get},
    handlers::{
        admin, answers, asset_files, dashboard, game_page, home, images, machines, nowhere, play, previews,
        probes,
    },
    security_headers::{allow_script, secure},
};

/// Every address of the site, as a service.
///
/// Addresses are exact: a trailing slash, a doubled one, another case or a percent-encoded
/// letter leads nowhere, so that no content has two addresses. `HEAD` answers like `GET`
/// without a body.
///
/// Feed and sitemap are addresses of a site that knows its own origin. Without one, they
/// lead nowhere, like all that is not listed here.
pub fn router(config: HttpConfig) -> Router {
    let app = App::new(config);
    // With its state, since what has none yet becomes a service anew for every request.
    Router::new().fallback(move |request: Request| answered(app.clone(), request)).with_state(())
}

/// Answers one request, for whoever has a site for no more than that, as the service of [`router`]
/// would.
pub async fn answer(config: HttpConfig, request: Request) -> Response {
    let is_head = request.method() == Method::HEAD;
    let mut response = answered(App::new(config), request).await;
    // Of the body that `HEAD` would have had, too.
    if let Some(length) = response.body().size_hint().exact() {
        response.headers_mut().entry(header::CONTENT_LENGTH).or_insert_with(|| length.into());
    }
    if is_head {
        *response.body_mut() = Body::empty();
    }
    response
}

/// The answer with its body, whatever the method: somebody around it may look at the one that
/// `HEAD` is not sent.
async fn answered(app: App, request: Request) -> Response {
    let mut asked = Asked::new(app, request);
    let mut response = led(&mut asked).await;
    secure(&mut response);
    response
}

/// Leads to an address. Before it is looked up what there is for operators only, their doors
/// are asked: a stranger learns neither which addresses there are, nor which methods they take.
///
/// What is for operators is boxed, so that a reader's request need not have the room for it.
async fn led(asked: &mut Asked) -> Response {
    let path = parts(asked.uri());
    let (place, mark): (_, fn(&mut Response)) = match path[..] {
        ["metrics"] | ["admin", "api", ..] => return Box::pin(admin::answer(asked)).await,
        ["admin", ref within @ ..] if *within != [""] => return Box::pin(dashboard::answer(asked)).await,
        [""] | ["play", _] => (place(asked.app(), &path), allow_script),
        ["api", ..] => (place(asked.app(), &path), play::not_for_search_engines),
        _ => (place(asked.app(), &path), |_| ()),
    };
    drop(path);
    let Some(place) = place else { return endpoint(nowhere::fallback).answer(asked).await };
    let mut response = place.answer(asked).await;
    mark(&mut response);
    response
}

/// The parts of a path, each after a slash.
pub(crate) fn parts(uri: &Uri) -> Vec<&str> {
    let mut parts = Vec::with_capacity(8);
    parts.extend(uri.path().split('/').skip(1));
    parts
}

/// What is for everybody.
fn place(app: &App, path: &[&str]) -> Option<Place> {
    Some(match path {
        [""] => get(home::home),
        _ if path.contains(&"") => return None,
        ["play", _] => game_page::place(),
        ["api", ..] => return play::place(path),
        ["answers"] => get(answers::list),
        ["answers", _] => get(answers::one),
        ["images", _] => get(images::image),
        ["robots.txt"] => get(machines::robots),
        ["feed.xml"] if app.origin.is_some() => get(machines::feed),
        ["sitemap.xml"] if app.origin.is_some() => get(machines::sitemap),
        ["preview", _] | ["preview", _, "image", _] => get(previews::preview),
        ["assets", _] => get(asset_files::asset),
        ["healthz"] => get(probes::healthz),
        ["readyz"] => get(probes::readyz),
        _ => return None,
    })
}
