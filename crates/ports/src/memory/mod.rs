//! The reference model: every store port over plain collections.
//!
//! It exists to be obviously right. Each method applies the domain's rules to maps
//! under one lock, so that what a port promises can be read here in a minute; SQLite
//! and D1 then have to leave the very same rows behind. It serves as the store of
//! tests of the use cases, too: a mock would only repeat what its author believes.
//!
//! Every write works on a copy of the state that replaces it at the end. A batch that
//! stops halfway has therefore changed nothing, here as in the databases.
//!
//! The other half of the world is here as well, just as predictable: photos and blobs
//! from tables, counted tokens, waits that pass at once, and a clock that somebody sets.

use std::sync::{Mutex, PoisonError};

use fencepost_domain::time::UnixMillis;

use crate::StoreError;

mod manual_clock;
pub use manual_clock::ManualClock;

mod state;
use state::State;

mod lease_store;

mod publication_ledger;

mod commit;

mod puzzle_bank;

mod source_images;

mod action_log;

mod answer_posts;

mod revision_source;

mod results_log;

mod job_runs;

mod retention;

mod outbox;

mod alert_log;
mod exports;

mod verifier;

mod tables;
pub use tables::{Row, SCHEMA, TableShape, Tables, changes, misshapen, sort};

mod inspect;

mod edge_cache;
pub use edge_cache::EternalCache;

mod blob_store;
pub use blob_store::MemoryBlobs;

mod image_source;
pub use image_source::TableImages;

mod token_source;
pub use token_source::CountingTokens;

mod timer;
pub use timer::InstantTimer;

/// A store in memory, by the clock that it is given.
#[derive(Debug)]
pub struct MemoryStore {
    clock: ManualClock,
    state: Mutex<State>,
}

impl MemoryStore {
    /// An empty store whose time is what `clock` says.
    pub fn new(clock: ManualClock) -> Self {
        Self { clock, state: Mutex::default() }
    }

    /// Reads at one instant.
    fn read<T>(&self, look: impl FnOnce(&State, UnixMillis) -> T) -> T {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        look(&state, self.clock.now())
    }

    /// Writes at one instant, all or nothing.
    fn write<T>(
        &self,
        change: impl FnOnce(&mut State, UnixMillis) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = state.clone();
        let value = change(&mut next, self.clock.now())?;
        *state = next;
        Ok(value)
    }
}
