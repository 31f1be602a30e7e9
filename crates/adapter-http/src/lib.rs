//! Pages, daily game and admin API: one axum [`Router`](axum::Router) for every target.
//!
//! The native server hands it to a socket, the Worker calls it with one request. Both get
//! the same routes, the same headers and the same words, because nothing in here knows
//! where it runs: no runtime, no IO, no clock and no randomness. What time it is, the store
//! says; what is shown, [`fencepost_application`] decides; this crate gives it an address,
//! a look and its headers.
//!
//! Reading order: `router` is the list of addresses. `cache_headers` says what may be
//! kept and for how long, `security_headers` what a page may do, `problem` how the API
//! fails. `handlers` go from a use case to a view, `view` and the templates from there to
//! HTML.

mod config;
pub use config::{BUILD_VERSION, HttpConfig};

mod deployment;
pub use deployment::{environment, instance, origin};

mod router;
pub use router::{answer, router};

mod auth;
pub use auth::{AdminToken, InvalidAdminToken};

mod session;

mod webhook;
pub use webhook::{InvalidWebhook, WebhookSettings};

mod hex;

mod secret;
pub use secret::{InvalidSecret, Secret};

mod preview_link;

mod game_token;

mod announce;

mod asked;

mod endpoint;

mod spawner;
pub use spawner::Spawner;

mod cache_headers;

mod security_headers;

mod problem;

mod rate_limit;
pub use rate_limit::{RateLimit, network_of};

mod fault;

mod json;

mod exposition;

mod form;

mod form_parts;
pub use form_parts::FormParts;
#[cfg(feature = "self-contained")]
pub use form_parts::LibraryParts;

mod puzzle_form;

mod amount;

mod assets;

mod files;
pub use files::Files;
#[cfg(feature = "self-contained")]
pub use files::FilesWithin;

mod handlers;

mod view;
