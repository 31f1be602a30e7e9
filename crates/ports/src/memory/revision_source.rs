//! Time and revision.

use async_trait::async_trait;
use fencepost_domain::{calendar::Stretch, revision::SiteMoment};

use super::MemoryStore;
use crate::{RevisionSource, StoreError};

#[async_trait]
impl RevisionSource for MemoryStore {
    async fn moment(&self) -> Result<SiteMoment, StoreError> {
        Ok(self.read(|state, now| SiteMoment {
            now,
            publication_revision: state.publication_revision,
            bank_revision: state.bank_revision,
            overdue: !state.paused
                && state
                    .items
                    .values()
                    .any(|item| item.is_overdue(now) && state.catch_up.still_wants(item.due_at, now)),
            stretch: Stretch::around(
                now,
                state.instants.range(..=now).next_back().copied(),
                state.instants.range(now..).find(|instant| **instant > now).copied(),
            ),
        }))
    }
}
