//! What the router is told by the application that it serves.

use std::sync::Arc;

use fencepost_application::{Site, Stop};

use crate::{AdminToken, Spawner};

/// What the router is told by the application that it serves.
#[derive(Clone)]
pub struct HttpConfig {
    /// The use cases.
    pub site: Site,
    /// Scheme and host of the public address, such as `https://example.org`. With it, pages
    /// name their canonical address; without it, they name none.
    pub origin: Option<String>,
    /// Which deployment this is: `production`, `staging` … Shown to operators only.
    pub environment: String,
    /// The token of the admin API. Without it, the API refuses every request.
    pub admin_token: Option<AdminToken>,
    /// Which build this is. Shown to operators only.
    pub build_version: &'static str,
    /// Asks jobs that were started over the API to stop between two items.
    pub stop: Stop,
    /// Lets a change go on when the client that asked for it has gone.
    pub spawner: Option<Arc<dyn Spawner>>,
}

impl HttpConfig {
    /// A site without an origin, without an admin token, in `development`.
    pub fn new(site: Site) -> Self {
        Self {
            site,
            origin: None,
            environment: "development".to_owned(),
            admin_token: None,
            build_version: env!("CARGO_PKG_VERSION"),
            stop: Stop::default(),
            spawner: None,
        }
    }
}

/// The state of every handler.
#[derive(Clone)]
pub(crate) struct App(Arc<HttpConfig>);

impl App {
    pub(crate) fn new(config: HttpConfig) -> Self {
        let origin = config.origin.map(|origin| origin.trim_end_matches('/').to_owned());
        Self(Arc::new(HttpConfig { origin, ..config }))
    }

    /// The absolute address of `path`, where the site knows its own.
    pub(crate) fn absolute(&self, path: &str) -> Option<String> {
        self.origin.as_ref().map(|origin| format!("{origin}{path}"))
    }
}

impl std::ops::Deref for App {
    type Target = HttpConfig;

    fn deref(&self) -> &HttpConfig {
        &self.0
    }
}
