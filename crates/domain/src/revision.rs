//! The two counters that every answer is keyed by.

use serde::{Deserialize, Serialize};

use crate::time::UnixMillis;

/// How many changes of published content have been committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Revision(i64);

impl Revision {
    /// Nothing has been published yet.
    pub const NONE: Self = Self(0);

    /// The revision with this number.
    pub const fn new(revision: i64) -> Self {
        Self(revision)
    }

    /// The number.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The revision after one more change.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl std::fmt::Display for Revision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The state of the site at the start of a request: all that the rest of the request
/// may know of time and revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteMoment {
    /// The store's clock.
    pub now: UnixMillis,
    /// Changes of published content so far.
    pub publication_revision: Revision,
    /// Imports, edits and reschedules so far.
    pub bank_revision: i64,
}
