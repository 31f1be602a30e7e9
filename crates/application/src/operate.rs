//! What an operator asks and sets: status, items, due instants, the pause.

use fencepost_domain::{
    commit::{Change, Commit, CommitKind},
    guard::{GuardFacts, Predicate},
    id::{CommitToken, ContentVersion, Fence, OwnerId, PuzzleId},
    lease::{DEFAULT_LEASE_MS, Lease, LeaseKey, LeaseRow},
    ledger::{Item, ItemState},
    time::{PlayDate, UnixMillis},
};
use fencepost_ports::{ItemDetail, ItemSummary, LoggedRun, Overview, Preflight, StoreError, Wake};
use serde::Serialize;

use crate::{ActionError, Site, render::render};

/// How many items one page of the list shows.
const ITEMS_PAGE: u32 = 100;
/// How many runs one page of their list shows.
const RUNS_PAGE: u32 = 100;

/// All that is known of one item, and what keeps it from being published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemExplanation {
    /// The facts.
    pub detail: ItemDetail,
    /// What keeps it from being published now, the strongest reason first; empty when
    /// it is out or nothing does.
    pub blocked_by: Vec<Hindrance>,
}

/// Something that keeps an item from being published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hindrance {
    /// The guard's predicate that does not hold.
    pub predicate: Predicate,
    /// What that means here.
    pub detail: String,
}

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

    /// All that is known of one item.
    pub async fn item(&self, puzzle_id: PuzzleId) -> Result<ItemExplanation, ActionError> {
        let detail =
            self.stores.ledger.item(puzzle_id).await?.ok_or(ActionError::UnknownPuzzle(puzzle_id))?;
        let blocked_by = hindrances(&detail.preflight, self.settings.daily_quota);
        Ok(ItemExplanation { detail, blocked_by })
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

/// The guard of a publication, evaluated as if this item were taken in hand now.
fn hindrances(seen: &Preflight, daily_quota: i64) -> Vec<Hindrance> {
    let (Some(item), Some(puzzle)) = (&seen.item, &seen.puzzle) else { return Vec::new() };
    if matches!(item.state, ItemState::Published | ItemState::Withdrawn) {
        return Vec::new();
    }
    let holder = seen.lease.as_ref().filter(|row| row.is_live(seen.now));
    let mine = LeaseRow {
        owner: OwnerId::new(""),
        fence: Fence::FIRST,
        expires_at: seen.now.plus(DEFAULT_LEASE_MS),
    };
    let in_hand = match item.state {
        ItemState::Scheduled => Item { state: ItemState::Processing, ..item.clone() },
        _ => item.clone(),
    };
    let image_key = seen.photo().cloned();
    let commit = Commit {
        lease: Lease {
            key: LeaseKey::Publication(puzzle.puzzle_id),
            owner: mine.owner.clone(),
            fence: mine.fence,
            expires_at: mine.expires_at,
        },
        token: CommitToken::new(""),
        change: Change::Publish(render(puzzle, image_key)),
        bank_version: puzzle.bank_version,
        content_version: ContentVersion::NONE,
        daily_quota,
    };
    let facts =
        GuardFacts { lease: Some(holder.unwrap_or(&mine)), item: Some(&in_hand), ..seen.guard_facts() };
    let guard = CommitKind::Publish.guard().iter().copied();
    guard
        .filter(|predicate| !predicate.holds(&commit, &facts))
        // A lease held by somebody else is one hindrance, not two.
        .filter(|predicate| *predicate != Predicate::LeaseFence)
        .map(|predicate| Hindrance { predicate, detail: explain(predicate, seen, item) })
        .collect()
}

fn explain(predicate: Predicate, seen: &Preflight, item: &Item) -> String {
    let known = match predicate {
        Predicate::LeaseOwner => seen.lease.as_ref().map(|row| {
            format!("{} holds the lease, fence {}, until {}", row.owner, row.fence.get(), row.expires_at)
        }),
        Predicate::ItemState => item.blocked_reason.clone(),
        Predicate::ItemDue => Some(format!("the answer is due at {}", item.due_at)),
        Predicate::ImageReady => Some(match seen.image.as_ref().and_then(|image| image.error.clone()) {
            Some(error) => format!("the photo could not be had: {error}"),
            None => "the photo is not stored yet; the next run fetches it".to_owned(),
        }),
        _ => None,
    };
    known.unwrap_or_else(|| predicate.complaint().to_owned())
}
