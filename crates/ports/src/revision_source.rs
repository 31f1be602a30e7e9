//! Time and revision: the first thing that every request reads.

use async_trait::async_trait;
use fencepost_domain::revision::SiteMoment;

use crate::StoreError;

/// Where a request learns what time it is and how far the site has come.
///
/// An adapter MUST read from the primary and MUST NOT answer from a cache: an old
/// revision would address old pages. It MAY tell several callers what it has read once, if it
/// began to read after each of them had called.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait RevisionSource: Send + Sync {
    /// The store's clock, both revisions, whether anything is overdue, and the stretch of
    /// time in which no answer changes by itself, in one query that reads a handful of rows.
    async fn moment(&self) -> Result<SiteMoment, StoreError>;
}
