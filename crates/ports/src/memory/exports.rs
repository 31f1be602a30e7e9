//! The store, read from one end to the other.

use async_trait::async_trait;
use fencepost_domain::{
    action::LoggedAction,
    commit::Receipt,
    export::{LedgerPage, LedgerRow},
    id::PuzzleId,
    puzzle::Puzzle,
    revision::Revision,
};

use super::{MemoryStore, State};
use crate::{Exports, StoreError};

#[async_trait]
impl Exports for MemoryStore {
    async fn bank(&self, after: Option<PuzzleId>, limit: u32) -> Result<Vec<Puzzle>, StoreError> {
        Ok(self.read(|state, _| {
            let puzzles = state.puzzles.values().map(|stored| &stored.puzzle);
            let behind = puzzles.filter(|puzzle| Some(puzzle.puzzle_id) > after);
            behind.take(limit as usize).cloned().collect()
        }))
    }

    async fn ledger(&self, after: Option<PuzzleId>, limit: u32) -> Result<Vec<LedgerRow>, StoreError> {
        Ok(self.read(|state, _| {
            let puzzles = state.puzzles.values().map(|stored| &stored.puzzle);
            let behind = puzzles.filter(|puzzle| Some(puzzle.puzzle_id) > after);
            behind.take(limit as usize).map(|puzzle| state.ledger_row(puzzle)).collect()
        }))
    }

    async fn receipts(&self, after: Revision, limit: u32) -> Result<Vec<Receipt>, StoreError> {
        Ok(self.read(|state, _| {
            let behind = state.receipts.iter().filter(|receipt| receipt.revision > after);
            behind.take(limit as usize).cloned().collect()
        }))
    }

    async fn actions(&self, after: i64, limit: u32) -> Result<Vec<LoggedAction>, StoreError> {
        Ok(self.read(|state, _| {
            let behind = state.actions.iter().filter(|action| action.number > after);
            behind.take(limit as usize).cloned().collect()
        }))
    }
}

impl State {
    fn ledger_row(&self, puzzle: &Puzzle) -> LedgerRow {
        let id = puzzle.puzzle_id;
        let page = self.page(id).map(|page| LedgerPage {
            page_bank_version: Some(page.bank_version),
            indexable: Some(page.indexable),
            image_key: page.content.image_key.clone(),
            published_at: Some(page.published_at),
            updated_at: Some(page.updated_at),
            withdrawn_at: page.withdrawn_at,
        });
        LedgerRow {
            puzzle_id: id,
            play_date: puzzle.play_date,
            bank_version: puzzle.bank_version,
            item: self.items.get(&id).expect("every puzzle has its item").clone(),
            content_version: self.content_version(id),
            page: page.unwrap_or_default(),
        }
    }
}
