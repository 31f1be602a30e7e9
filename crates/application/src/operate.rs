//! What an operator asks and sets: status, items, due instants, the pause.

use fencepost_domain::{
    alert::{self, Alert},
    id::PuzzleId,
    ledger::Item,
    resolution::Resolution,
    time::{PlayDate, UnixMillis},
};
use fencepost_ports::{ItemSummary, LoggedRun, Overview, StoreError, Wake};

use crate::Site;

/// How many items one page of the list shows.
const ITEMS_PAGE: u32 = 100;
/// How many runs one page of their list shows.
const RUNS_PAGE: u32 = 100;

/// Why an item was not rescheduled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RescheduleError {
    /// The bank does not have that puzzle.
    #[error("there is no puzzle {0}; import it first")]
    UnknownPuzzle(PuzzleId),
    /// The puzzle would still be playable.
    #[error("an answer is not due before the end of play at {playable_until}")]
    BeforeEndOfPlay {
        /// The end of play.
        playable_until: UnixMillis,
    },
    /// The page is out, withdrawn, or was moved by somebody else meanwhile.
    #[error("the item was not moved: it is {} and due at {}; only what is not out yet can be moved", .0.state.as_str(), .0.due_at)]
    NotMoved(Item),
    /// The store misbehaved.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Site {
    /// What a person wants to know at a glance.
    pub async fn status(&self) -> Result<Overview, StoreError> {
        self.stores.runs.overview(self.settings.daily_quota).await
    }

    /// What a person should look at, of what an overview shows and of what was counted here.
    pub fn alerts(&self, overview: &Overview) -> Vec<Alert> {
        let unknown = self.resolutions.counts().get(&Resolution::Unknown).copied().unwrap_or(0);
        alert::alerts(overview, self.settings.daily_quota, unknown)
    }

    /// Runs of the jobs, the newest first: those numbered below `before`.
    pub async fn runs(&self, before: Option<i64>) -> Result<Vec<LoggedRun>, StoreError> {
        self.stores.runs.runs(before, RUNS_PAGE).await
    }

    /// When to look for work again.
    pub async fn next_wake(&self) -> Result<Wake, StoreError> {
        self.stores.ledger.next_wake(self.settings.daily_quota).await
    }

    /// Items, newest date of play first, those played before `before`.
    pub async fn items(&self, before: Option<PlayDate>) -> Result<Vec<ItemSummary>, StoreError> {
        self.stores.ledger.items(before, ITEMS_PAGE).await
    }

    /// Moves the due instant of an item that is not out yet.
    pub async fn reschedule(
        &self,
        puzzle_id: PuzzleId,
        due_at: UnixMillis,
        expected: Option<UnixMillis>,
    ) -> Result<Item, RescheduleError> {
        let moved = self.persistently(|| self.stores.ledger.reschedule(puzzle_id, due_at, expected)).await?;
        let (Some(item), Some(playable_until)) = (moved.item, moved.playable_until) else {
            return Err(RescheduleError::UnknownPuzzle(puzzle_id));
        };
        if item.due_at == due_at {
            return Ok(item);
        }
        if due_at < playable_until {
            return Err(RescheduleError::BeforeEndOfPlay { playable_until });
        }
        Err(RescheduleError::NotMoved(item))
    }

    /// Stops or resumes all that makes content public.
    pub async fn set_paused(&self, paused: bool) -> Result<(), StoreError> {
        self.persistently(|| self.stores.ledger.set_paused(paused)).await
    }
}
