//! The list of addresses.

use axum::{Router, middleware::map_response, routing::get};

use crate::{
    HttpConfig,
    config::App,
    handlers::{admin, answers, asset_files, home, images, nowhere, probes},
    security_headers::secure,
};

/// Every address of the site, for any target.
///
/// Addresses are exact: a trailing slash, another case or a percent-encoded letter leads
/// nowhere, so that no content has two addresses. `HEAD` answers like `GET` without a body.
pub fn router(config: HttpConfig) -> Router {
    let app = App::new(config);
    Router::new()
        .route("/", get(home::home))
        .route("/answers", get(answers::list))
        .route("/answers/{id}", get(answers::one))
        .route("/images/{key}", get(images::image))
        .route("/assets/{file}", get(asset_files::asset))
        .route("/healthz", get(probes::healthz))
        .route("/readyz", get(probes::readyz))
        .nest_service("/admin/api", admin::routes(&app))
        .fallback(nowhere::fallback)
        .method_not_allowed_fallback(nowhere::method_not_allowed)
        .layer(map_response(secure))
        .with_state(app)
}
