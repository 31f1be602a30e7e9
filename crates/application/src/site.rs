//! The application: its ports and its settings.

use std::sync::Arc;

use fencepost_domain::{
    id::OwnerId, lease, puzzle::DEFAULT_GRACE_MS, quota::DEFAULT_DAILY_QUOTA, retention::DEFAULT_KEEP_DAYS,
};
use fencepost_ports::{BlobStore, Budget, EdgeCache, ImageSource, Stores, Timer, TokenSource};

use crate::{Counters, Outlet, Resolutions};

/// The whole application. Cheap to clone; every use case is a method.
#[derive(Clone)]
pub struct Site {
    /// The store.
    pub stores: Stores,
    /// Where photos are kept.
    pub blobs: Arc<dyn BlobStore>,
    /// Where photos come from.
    pub image_source: Arc<dyn ImageSource>,
    /// Where rendered answers are kept.
    pub cache: Arc<dyn EdgeCache>,
    /// Where random names come from.
    pub tokens: Arc<dyn TokenSource>,
    /// How to wait.
    pub timer: Arc<dyn Timer>,
    /// How many calls the ports may make, all of them together. They are refused by the
    /// adapters that make them; a job looks at it to end in time.
    pub budget: Budget,
    /// How often the fate of a commit had to be found out, and what was found: a counter for
    /// the whole process, or for the whole instance of a Worker.
    pub resolutions: Resolutions,
    /// What happened, for metrics: a counter for as much as that of resolutions.
    pub counters: Counters,
    /// Who is told what happens; `None` for nobody.
    pub outlet: Option<Outlet>,
    /// What an operator may configure.
    pub settings: Settings,
}

impl Site {
    /// A new owner of leases: a run, or an operator's action. Its name begins with that of
    /// the instance, so that leases, receipts and runs tell which of several it was.
    pub(crate) fn new_owner(&self) -> OwnerId {
        self.tokens.owner(&self.settings.instance)
    }
}

/// What an operator may configure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What this process or Worker is called, among those that share the store.
    pub instance: String,
    /// Which build this is, as the log of runs tells it.
    pub build: String,
    /// The grace window after midnight, in milliseconds, for puzzles yet to be imported.
    pub grace_ms: i64,
    /// How long a lease lives, in milliseconds; at most [`lease::MAX_LEASE_MS`].
    pub lease_ms: i64,
    /// How many pages may be published on a UTC day that has no row yet.
    pub daily_quota: i64,
    /// For how many days runs, tokens of imports and delivered events are kept; 0 is for ever.
    pub keep_days: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            instance: "fencepost".to_owned(),
            build: env!("CARGO_PKG_VERSION").to_owned(),
            grace_ms: DEFAULT_GRACE_MS,
            lease_ms: lease::DEFAULT_LEASE_MS,
            daily_quota: DEFAULT_DAILY_QUOTA,
            keep_days: DEFAULT_KEEP_DAYS,
        }
    }
}
