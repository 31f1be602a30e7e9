//! The two counters that every answer is keyed by.

pub use fencepost_core::id::Revision;

use crate::{calendar::Stretch, time::UnixMillis};

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
    /// Whether a job would find an answer that is due and not out: a sign that none has
    /// run. Not while the site is paused. One that a job has in hand counts as well.
    pub overdue: bool,
    /// The stretch of time around `now` in which no answer changes without a write.
    pub stretch: Stretch,
}
