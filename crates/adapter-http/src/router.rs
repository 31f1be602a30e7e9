//! The list of addresses.

use axum::{Router, middleware::map_response};

use crate::{
    HttpConfig,
    config::App,
    endpoint::{endpoint, get},
    handlers::{
        admin, answers, asset_files, dashboard, game_page, home, images, machines, nowhere, play, previews,
        probes,
    },
    security_headers::{allow_script, secure},
};

/// Every address of the site, for any target.
///
/// Addresses are exact: a trailing slash, a doubled one, another case or a percent-encoded
/// letter leads nowhere, so that no content has two addresses. So nothing is nested, which
/// would swallow a slash. `HEAD` answers like `GET` without a body.
///
/// Feed and sitemap are addresses of a site that knows its own origin. Without one, they
/// lead nowhere, like all that is not listed here.
pub fn router(config: HttpConfig) -> Router {
    let app = App::new(config);
    let (api, dashboard) = (admin::routes(&app), dashboard::routes(&app));
    let announcements = match app.origin {
        Some(_) => Router::new()
            .route("/feed.xml", get(machines::feed))
            .route("/sitemap.xml", get(machines::sitemap)),
        None => Router::new(),
    };
    let with_the_game = Router::new()
        .route("/", get(home::home))
        .merge(game_page::routes(&app))
        .layer(map_response(allow_script));
    Router::new()
        .merge(announcements)
        .merge(play::routes(&app))
        .merge(with_the_game)
        .route("/answers", get(answers::list))
        .route("/answers/{id}", get(answers::one))
        .route("/images/{key}", get(images::image))
        .route("/robots.txt", get(machines::robots))
        .route("/preview/{id}", get(previews::preview))
        .route("/preview/{id}/image/{key}", get(previews::preview))
        .route("/assets/{file}", get(asset_files::asset))
        .route("/healthz", get(probes::healthz))
        .route("/readyz", get(probes::readyz))
        .route_service("/metrics", api.clone())
        .route_service("/admin", dashboard.clone())
        .route_service("/admin/{*rest}", dashboard)
        .route_service("/admin/api", api.clone())
        .route_service("/admin/api/", api.clone())
        .route_service("/admin/api/{*rest}", api)
        .fallback(endpoint(nowhere::fallback))
        .method_not_allowed_fallback(endpoint(nowhere::method_not_allowed))
        .layer(map_response(secure))
        .with_state(app)
}
