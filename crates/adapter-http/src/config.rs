//! What the router is told by the application that it serves.

use std::sync::Arc;

use fencepost_application::{Setup, Site, Stop, TokenStrength};
use fencepost_domain::{cache_key::CacheSpace, time::UnixMillis};

use crate::{AdminToken, Files, FormParts, RateLimit, Secret, Spawner};

/// The build that renders: two that could render anything differently share no entry of
/// the cache. The version of the package does not tell them apart; see `build.rs`.
pub const BUILD_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "-", env!("FENCEPOST_SOURCES"));

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
    /// The secret with which links to previews and games are signed, the same for all
    /// processes and Workers of a site. Without it, there are no previews and no daily game.
    pub secret: Option<Secret>,
    /// Which build this is. Shown to operators only.
    pub build_version: &'static str,
    /// Asks jobs that were started over the API to stop between two items.
    pub stop: Stop,
    /// Lets a change go on when the client that asked for it has gone.
    pub spawner: Option<Arc<dyn Spawner>>,
    /// How often somebody who plays may send something; `None` for as often as they like.
    pub rate_limit: Option<Arc<dyn RateLimit>>,
    /// How often somebody may try to sign in at the dashboard; `None` for as often as they like.
    pub sign_in_limit: Option<Arc<dyn RateLimit>>,
    /// Where the files are that are sent as they are.
    pub files: Arc<dyn Files>,
    /// Who reads a form that comes in parts, as one with a file does.
    pub form_parts: Arc<dyn FormParts>,
    /// Called when a request for a page has learnt that an answer is due and not out, with
    /// the instant of the request. Must return at once. `None` where something else looks
    /// after what is due.
    pub on_overdue: Option<Arc<dyn Fn(UnixMillis) + Send + Sync>>,
    /// What the host takes the time to be, to be held against the store's clock. `None` where
    /// the two are one.
    pub host_now: Option<Arc<dyn Fn() -> UnixMillis + Send + Sync>>,
    /// The host under whose name the platform's cache keeps what is rendered, where it does.
    pub cache_host: Option<String>,
}

#[cfg(feature = "self-contained")]
impl HttpConfig {
    /// A site without an origin, an admin token and a secret, in `development`.
    pub fn new(site: Site) -> Self {
        Self {
            site,
            origin: None,
            environment: "development".to_owned(),
            admin_token: None,
            secret: None,
            build_version: BUILD_VERSION,
            stop: Stop::default(),
            spawner: None,
            rate_limit: None,
            sign_in_limit: None,
            files: Arc::new(crate::FilesWithin),
            form_parts: Arc::new(crate::LibraryParts),
            on_overdue: None,
            host_now: None,
            cache_host: None,
        }
    }
}

/// The state of every handler.
#[derive(Clone)]
pub(crate) struct App(Arc<State>);

struct State {
    config: HttpConfig,
    cache_space: CacheSpace,
}

impl App {
    pub(crate) fn new(config: HttpConfig) -> Self {
        let origin = config.origin.map(|origin| origin.trim_end_matches('/').to_owned());
        let config = HttpConfig { origin, ..config };
        let cache_space =
            CacheSpace::new(&config.environment, config.origin.as_deref(), config.build_version);
        Self(Arc::new(State { config, cache_space }))
    }

    /// Whose entries of the cache are this router's.
    pub(crate) fn cache_space(&self) -> &CacheSpace {
        &self.0.cache_space
    }

    /// Tells whether something is overdue.
    pub(crate) fn heed_overdue(&self, overdue: bool, now: UnixMillis) {
        if overdue && let Some(on_overdue) = &self.on_overdue {
            on_overdue(now);
        }
    }

    /// What the doctor is told of this deployment.
    pub(crate) fn setup(&self, asks_photo_hosts: bool) -> Setup {
        Setup {
            admin_token: match &self.admin_token {
                None => TokenStrength::Missing,
                Some(token) if token.is_weak() => TokenStrength::Weak,
                Some(_) => TokenStrength::Strong,
            },
            has_secret: self.secret.is_some(),
            origin: self.origin.clone(),
            host_now: self.host_now.clone(),
            cache_host: self.cache_host.clone(),
            asks_photo_hosts,
        }
    }

    /// The absolute address of `path`, where the site knows its own.
    pub(crate) fn absolute(&self, path: &str) -> Option<String> {
        self.origin.as_ref().map(|origin| format!("{origin}{path}"))
    }
}

impl std::ops::Deref for App {
    type Target = HttpConfig;

    fn deref(&self) -> &HttpConfig {
        &self.0.config
    }
}
