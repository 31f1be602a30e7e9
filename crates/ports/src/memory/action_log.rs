//! What people did.

use async_trait::async_trait;
use fencepost_domain::{
    action::{Deed, DetailValue, Details, Entry, LoggedAction, Reason},
    id::{CommitToken, PuzzleId},
    time::UnixMillis,
};

use super::{MemoryStore, State};
use crate::{ActionLog, StoreError};

#[async_trait]
impl ActionLog for MemoryStore {
    async fn actions(&self, before: Option<i64>, limit: u32) -> Result<Vec<LoggedAction>, StoreError> {
        Ok(self.read(|state, _| {
            let earlier = |action: &&LoggedAction| before.is_none_or(|before| action.number < before);
            state.actions.iter().rev().filter(earlier).take(limit as usize).cloned().collect()
        }))
    }

    async fn record_preview(
        &self,
        entry: &Entry,
        puzzle: PuzzleId,
        expires_at: UnixMillis,
    ) -> Result<(), StoreError> {
        self.write(|state, now| {
            if state.puzzle(puzzle).is_some() {
                state.act(entry, Some(puzzle), details([("expires_at", number(expires_at))]), now);
            }
            Ok(())
        })
    }
}

impl State {
    /// Records an action, unless it is on record; tells whether it is to be done.
    pub(super) fn act(
        &mut self,
        entry: &Entry,
        puzzle_id: Option<PuzzleId>,
        detail: Details,
        now: UnixMillis,
    ) -> bool {
        let is_new = self.actions.iter().all(|action| action.token != entry.token);
        if is_new {
            self.trace(&entry.token, &entry.deed, puzzle_id, detail, now);
        }
        is_new
    }

    /// Records what was done under a token that was never used before.
    pub(super) fn trace(
        &mut self,
        token: &CommitToken,
        deed: &Deed,
        puzzle_id: Option<PuzzleId>,
        detail: Details,
        now: UnixMillis,
    ) {
        let number = self.actions.last().map_or(1, |action| action.number + 1);
        self.actions.push(LoggedAction {
            number,
            token: token.clone(),
            at: now,
            actor: deed.actor.name.to_string(),
            action: deed.action,
            puzzle_id,
            reason: deed.actor.reason.as_ref().map(Reason::as_str).map(str::to_owned),
            detail,
        });
    }
}

/// What an action led to.
pub(super) fn details<const N: usize>(named: [(&str, Option<DetailValue>); N]) -> Details {
    named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// An instant among the details.
pub(super) fn number(instant: UnixMillis) -> Option<DetailValue> {
    Some(instant.get().into())
}

/// A word among the details.
pub(super) fn word(word: &str) -> Option<DetailValue> {
    Some(word.into())
}
