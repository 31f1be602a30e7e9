//! The ledger of what is to be published, and the commit that publishes it.

use async_trait::async_trait;
use fencepost_domain::{
    commit::{Commit, CommitReadback, Receipt},
    guard::{GuardFacts, PageFacts, PuzzleFacts},
    id::{CommitToken, ContentVersion, OwnerId, PuzzleId},
    image::SourceImage,
    lease::{Lease, LeaseKey, LeaseRow},
    ledger::{Ending, Item},
    page::AnswerPage,
    puzzle::Puzzle,
    quota::DailyQuota,
    time::UnixMillis,
};
use serde::Serialize;

use crate::StoreError;

/// The ledger, and every write that depends on a publication lease.
///
/// An adapter MUST run each method as one batch, all or nothing, MUST evaluate every
/// guard inside the write that it guards, and MUST read the clock once per batch, in
/// the guarded first statement.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PublicationLedger: Send + Sync {
    /// Items that a job may take in hand now, oldest first, after `after`, at most `limit`.
    async fn runnable(&self, after: Option<Position>, limit: u32) -> Result<Runnable, StoreError>;

    /// When there is work: see [`Wake`].
    async fn next_wake(&self) -> Result<Wake, StoreError>;

    /// Claims an item's lease, marks the item `processing`, and reads all that rendering
    /// needs. An item that is not runnable is neither claimed nor marked.
    async fn begin(&self, begin: &Begin) -> Result<Preflight, StoreError>;

    /// Takes an item's lease over at once, for an operator, and reads the same. The
    /// item's state is left as it is.
    async fn take_over(&self, begin: &Begin) -> Result<Preflight, StoreError>;

    /// Attempts a commit. A guard that says no writes nothing at all, and is no error.
    ///
    /// # Errors
    /// [`StoreErrorKind::Assertion`](crate::StoreErrorKind::Assertion) when the batch
    /// would have left page, item, receipt and revision at odds; it is rolled back.
    async fn commit(&self, commit: &Commit) -> Result<CommitReadback, StoreError>;

    /// Looks for the receipt of one of `tokens`, to settle attempts without an answer.
    /// MUST read from the primary.
    async fn trace(&self, puzzle: PuzzleId, tokens: &[CommitToken]) -> Result<CommitTrace, StoreError>;

    /// Ends an attempt without a commit and releases the lease, if `lease` is still the
    /// holder's and the item still `processing`. Returns the item that stands afterwards.
    async fn finish(&self, lease: &Lease, ending: &Ending) -> Result<Option<Item>, StoreError>;

    /// Withdraws an item that has no page, and releases the lease: no receipt, no
    /// revision; `bank_revision` + 1. Returns the item that stands afterwards.
    async fn withdraw_unpublished(&self, lease: &Lease) -> Result<Option<Item>, StoreError>;

    /// Undoes [`Self::withdraw_unpublished`]: the item is `scheduled` again.
    async fn reinstate_unpublished(&self, lease: &Lease) -> Result<Option<Item>, StoreError>;

    /// Lets a `blocked` or waiting item be tried again at once. Returns the item that
    /// stands afterwards.
    async fn retry(&self, puzzle: PuzzleId) -> Result<Option<Item>, StoreError>;

    /// Moves the due instant of an item that has no page, if its present one is
    /// `expected` (where given) and the new one does not lie before the end of play.
    async fn reschedule(
        &self,
        puzzle: PuzzleId,
        due_at: UnixMillis,
        expected: Option<UnixMillis>,
    ) -> Result<Rescheduled, StoreError>;

    /// Stops or resumes all that makes content public.
    async fn set_paused(&self, paused: bool) -> Result<(), StoreError>;

    /// Items for people, newest date of play first, those played before `before`.
    async fn items(
        &self,
        before: Option<fencepost_domain::time::PlayDate>,
        limit: u32,
    ) -> Result<Vec<ItemSummary>, StoreError>;

    /// All that is known of one item.
    async fn item(&self, puzzle: PuzzleId) -> Result<Option<ItemDetail>, StoreError>;
}

/// A place in the order of runnable items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The item's due instant.
    pub due_at: UnixMillis,
    /// Its puzzle, where two are due at once.
    pub puzzle_id: PuzzleId,
}

/// What a job finds when it looks for work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runnable {
    /// The store's clock.
    pub now: UnixMillis,
    /// Whether the site is paused.
    pub paused: bool,
    /// The row of the current UTC day.
    pub quota: Option<DailyQuota>,
    /// The items, oldest first.
    pub items: Vec<RunnableItem>,
}

/// An item that a job may take in hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunnableItem {
    /// Where it stands in the order.
    pub position: Position,
    /// Whether somebody held its lease a moment ago.
    pub leased: bool,
}

/// When to look for work again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake {
    /// The store's clock.
    pub now: UnixMillis,
    /// The due instant of the oldest item that is runnable now and in nobody's hands.
    /// `None` without one, and while the site is paused or the day's quota used up.
    pub overdue: Option<UnixMillis>,
    /// The next instant after now at which an item may become runnable: its due instant,
    /// its next attempt, or the expiry of a lease that a dead worker left behind.
    pub upcoming: Option<UnixMillis>,
}

impl Wake {
    /// The first of both instants.
    pub fn first(self) -> Option<UnixMillis> {
        self.overdue.or(self.upcoming)
    }
}

/// A request to take an item in hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begin {
    /// Whose answer.
    pub puzzle_id: PuzzleId,
    /// For whom.
    pub owner: OwnerId,
    /// How long the lease is to live, in milliseconds.
    pub ttl_ms: i64,
}

impl Begin {
    /// The lease that is claimed.
    pub fn key(&self) -> LeaseKey {
        LeaseKey::Publication(self.puzzle_id)
    }
}

/// All that is seen before an item is rendered, at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preflight {
    /// The store's clock.
    pub now: UnixMillis,
    /// The row of the item's lease.
    pub lease: Option<LeaseRow>,
    /// The item.
    pub item: Option<Item>,
    /// The puzzle.
    pub puzzle: Option<Puzzle>,
    /// What is known of its photo.
    pub image: Option<SourceImage>,
    /// Its page.
    pub page: Option<AnswerPage>,
    /// Whether the site is paused.
    pub paused: bool,
    /// The row of the current UTC day.
    pub quota: Option<DailyQuota>,
}

impl Preflight {
    /// The lease, if `begin` got it.
    pub fn lease_of(&self, begin: &Begin) -> Option<Lease> {
        let row = self.lease.as_ref()?;
        (row.owner == begin.owner && row.is_live(self.now)).then(|| Lease {
            key: begin.key(),
            owner: begin.owner.clone(),
            fence: row.fence,
            expires_at: row.expires_at,
        })
    }

    /// What a guard would look at.
    pub fn guard_facts(&self) -> GuardFacts<'_> {
        GuardFacts {
            now: self.now,
            lease: self.lease.as_ref(),
            item: self.item.as_ref(),
            puzzle: self.puzzle.as_ref().map(|puzzle| PuzzleFacts {
                bank_version: puzzle.bank_version,
                image_url: puzzle.image_url.as_deref(),
            }),
            image: self.image.as_ref(),
            page: self.page.as_ref().map(|page| PageFacts {
                content_version: page.content_version,
                indexable: page.indexable,
                has_photo: page.content.image_key.is_some(),
            }),
            quota: self.quota,
            paused: self.paused,
        }
    }

    /// The version of the page that was seen.
    pub fn content_version(&self) -> ContentVersion {
        self.page.as_ref().map_or(ContentVersion::NONE, |page| page.content_version)
    }
}

/// What is known of attempts that got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitTrace {
    /// The store's clock.
    pub now: UnixMillis,
    /// The receipt of one of the tokens asked for: that attempt landed.
    pub receipt: Option<Receipt>,
    /// The page's version now.
    pub content_version: ContentVersion,
}

/// What a reschedule led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rescheduled {
    /// The item that stands afterwards; `None` for an unknown puzzle.
    pub item: Option<Item>,
    /// The puzzle's end of play.
    pub playable_until: Option<UnixMillis>,
}

/// One line of the list of items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItemSummary {
    /// Whose answer.
    pub puzzle_id: PuzzleId,
    /// The date of play.
    pub play_date: fencepost_domain::time::PlayDate,
    /// What is to be guessed.
    pub name: String,
    /// The item.
    #[serde(flatten)]
    pub item: Item,
    /// The page's version; 0 without a page.
    pub content_version: ContentVersion,
}

/// All that is known of one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemDetail {
    /// What a publisher would see.
    pub preflight: Preflight,
    /// Every change of its page, oldest first.
    pub receipts: Vec<Receipt>,
}
