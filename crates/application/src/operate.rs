//! What an operator asks and sets: status, items, due instants, the pause.

use fencepost_domain::{
    action::{ActionKind, Actor, Entry, LoggedAction},
    alert::{self, Alert},
    catch_up::CatchUp,
    commit::Receipt,
    id::{ContentVersion, PuzzleId},
    ledger::{Item, ItemState},
    quota::DailyQuota,
    resolution::Resolution,
    time::{PlayDate, UnixMillis},
};
use fencepost_ports::{ItemSummary, LoggedRun, Overview, StoreError, Wake};

use crate::Site;

/// How many items one page of the list shows.
const ITEMS_PAGE: u32 = 100;
/// How many runs one page of their list shows.
const RUNS_PAGE: u32 = 100;
/// How many actions one page of their list shows.
const ACTIONS_PAGE: u32 = 100;

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

/// Why an item is not tried again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RetryError {
    /// The bank does not have that puzzle.
    #[error("there is no puzzle {0}; import it first")]
    UnknownPuzzle(PuzzleId),
    /// The page is out or withdrawn, or somebody else has changed the item meanwhile.
    #[error("the item is not tried again: it is {}; look at it once more", .0.state.as_str())]
    NotRetried(Item),
    /// The store misbehaved.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a setting of the whole site was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetError<T> {
    /// It is not as it was seen, nor as it was to be: this stands now.
    #[error("somebody else has set it meanwhile")]
    NotSet(T),
    /// The store misbehaved.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How somebody has seen an item whom another may have forestalled; where it says nothing,
/// anything will do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// Its state.
    pub state: Option<ItemState>,
    /// The version of its page; 0 without one.
    pub content_version: Option<ContentVersion>,
}

impl Expected {
    /// Nothing is expected.
    pub const ANYTHING: Self = Self { state: None, content_version: None };

    /// Whether it is as it was seen. A worker that has an item in hand has not changed it.
    pub(crate) fn is(self, state: ItemState, content_version: ContentVersion) -> bool {
        let waits = |state| if state == ItemState::Processing { ItemState::Scheduled } else { state };
        self.state.is_none_or(|expected| waits(expected) == waits(state))
            && self.content_version.is_none_or(|expected| expected == content_version)
    }
}

impl Site {
    /// What a person wants to know at a glance.
    pub async fn status(&self) -> Result<Overview, StoreError> {
        self.stores.runs.overview(self.settings.daily_quota).await
    }

    /// What a person should look at, of what an overview shows and of what was counted here.
    pub fn alerts(&self, overview: &Overview) -> Vec<Alert> {
        let unknown = self.resolutions.counts().get(&Resolution::Unknown).copied().unwrap_or(0);
        alert::of_overview(overview, self.settings.daily_quota, unknown)
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

    /// Items played after `after`, newest date of play first, the last ones the nearest.
    pub async fn later_items(&self, after: PlayDate) -> Result<Vec<ItemSummary>, StoreError> {
        let mut items = self.stores.ledger.later_items(after, ITEMS_PAGE).await?;
        items.reverse();
        Ok(items)
    }

    /// The item played right before `date`, if there is one.
    pub async fn item_before(&self, date: PlayDate) -> Result<Option<ItemSummary>, StoreError> {
        Ok(self.stores.ledger.items(Some(date), 1).await?.pop())
    }

    /// The item played right after `date`, if there is one.
    pub async fn item_after(&self, date: PlayDate) -> Result<Option<ItemSummary>, StoreError> {
        Ok(self.stores.ledger.later_items(date, 1).await?.pop())
    }

    /// The runs that wrote these receipts, but for those of people, whose runs are none.
    pub async fn runs_behind(&self, receipts: &[Receipt]) -> Result<Vec<LoggedRun>, StoreError> {
        let owners: Vec<_> = receipts.iter().map(|receipt| receipt.owner_id.clone()).collect();
        self.stores.runs.runs_of(&owners).await
    }

    /// Moves the due instant of an item that is not out yet.
    pub async fn reschedule(
        &self,
        by: &Actor,
        puzzle_id: PuzzleId,
        due_at: UnixMillis,
        expected: Option<UnixMillis>,
    ) -> Result<Item, RescheduleError> {
        let entry = self.entry(by, ActionKind::Reschedule);
        let reschedule = || self.stores.ledger.reschedule(puzzle_id, due_at, expected, &entry);
        let moved = self.persistently(reschedule).await?;
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
    pub async fn set_paused(&self, by: &Actor, paused: bool) -> Result<(), StoreError> {
        let entry = self.entry(by, if paused { ActionKind::Pause } else { ActionKind::Resume });
        self.persistently(|| self.stores.ledger.set_paused(paused, &entry)).await
    }

    /// Sets how many pages may be published on the present UTC day, whatever the settings
    /// say, or leaves it to them again: if what is set is `expected`, where somebody has seen
    /// it. Returns how the day stands.
    pub async fn set_quota(
        &self,
        by: &Actor,
        quota: Option<i64>,
        expected: Option<Option<i64>>,
    ) -> Result<DailyQuota, SetError<DailyQuota>> {
        let entry = self.entry(by, ActionKind::SetQuota);
        let row = self.persistently(|| self.stores.ledger.set_quota(quota, expected, &entry)).await?;
        let day = DailyQuota::under(row, self.settings.daily_quota);
        if expected.is_some() && day.set_quota != quota {
            return Err(SetError::NotSet(day));
        }
        Ok(day)
    }

    /// Sets what jobs do about items that are late, if it is `expected`, where somebody has
    /// seen it. Returns what holds afterwards.
    pub async fn set_catch_up(
        &self,
        by: &Actor,
        policy: CatchUp,
        expected: Option<CatchUp>,
    ) -> Result<CatchUp, SetError<CatchUp>> {
        let entry = self.entry(by, ActionKind::SetPolicy);
        let stands = self.persistently(|| self.stores.ledger.set_catch_up(policy, expected, &entry)).await?;
        if expected.is_some() && stands != policy {
            return Err(SetError::NotSet(stands));
        }
        Ok(stands)
    }

    /// Lets an item that is not out be tried again at once, its failures forgiven. Nothing is
    /// published by that; the next run does it.
    pub async fn retry(
        &self,
        by: &Actor,
        puzzle_id: PuzzleId,
        expected: Expected,
    ) -> Result<Item, RetryError> {
        let detail = self.persistently(|| self.stores.ledger.item(puzzle_id)).await?;
        let seen = detail.map(|detail| detail.preflight).ok_or(RetryError::UnknownPuzzle(puzzle_id))?;
        let before = seen.item.clone().ok_or(RetryError::UnknownPuzzle(puzzle_id))?;
        if !expected.is(before.state, seen.content_version()) {
            return Err(RetryError::NotRetried(before));
        }
        let entry = self.entry(by, ActionKind::Retry);
        let item = self.persistently(|| self.stores.ledger.retry(puzzle_id, &entry)).await?;
        match item {
            Some(item) if item.state.is_runnable() => Ok(item),
            item => Err(RetryError::NotRetried(item.unwrap_or(before))),
        }
    }

    /// Records that somebody has made a link to a preview.
    pub async fn record_preview(
        &self,
        by: &Actor,
        puzzle_id: PuzzleId,
        expires_at: UnixMillis,
    ) -> Result<(), StoreError> {
        let entry = self.entry(by, ActionKind::PreviewLink);
        self.persistently(|| self.stores.actions.record_preview(&entry, puzzle_id, expires_at)).await
    }

    /// The last things that people did, the newest first.
    pub async fn last_actions(&self, count: u32) -> Result<Vec<LoggedAction>, StoreError> {
        self.stores.actions.actions(None, count).await
    }

    /// What people did, the newest first: the actions numbered below `before`.
    pub async fn actions(&self, before: Option<i64>) -> Result<Vec<LoggedAction>, StoreError> {
        self.stores.actions.actions(before, ACTIONS_PAGE).await
    }

    /// An entry for what somebody does now.
    pub(crate) fn entry(&self, by: &Actor, action: ActionKind) -> Entry {
        Entry { token: self.tokens.commit_token(), deed: by.does(action) }
    }
}
