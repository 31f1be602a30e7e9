//! The reference model under its own contract.

use std::sync::Arc;

use async_trait::async_trait;
use fencepost_domain::id::PuzzleId;

use super::{Backend, Fixture, Inspect, ManualClock, Tables, steps};
use crate::{StoreError, Stores, memory::MemoryStore};

/// The reference model, as a backend of the suite and of differential tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryBackend;

#[async_trait]
impl Backend for MemoryBackend {
    async fn fresh(&self) -> Fixture {
        let clock = ManualClock::new(steps::opens(1));
        let store = Arc::new(MemoryStore::new(clock.clone()));
        let inspect: Arc<dyn Inspect> = store.clone();
        Fixture { stores: Stores::of(store), clock, inspect }
    }
}

#[async_trait]
impl Inspect for MemoryStore {
    async fn tables(&self) -> Result<Tables, StoreError> {
        Ok(Self::tables(self))
    }

    async fn plant_results(&self, puzzle: PuzzleId, count: i64) -> Result<(), StoreError> {
        Self::plant_results(self, puzzle, count)
    }
}
