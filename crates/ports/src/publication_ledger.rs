//! The ledger of what is to be published, and the commit that publishes it.

use async_trait::async_trait;
use fencepost_domain::{
    action::Entry,
    catch_up::CatchUp,
    commit::{Commit, CommitReadback, CommitTrace},
    id::{CommitToken, PuzzleId},
    item_view::{ItemDetail, ItemSummary, Rescheduled},
    lease::Lease,
    ledger::{Ending, Item},
    preflight::{Begin, Preflight},
    quota::DailyQuota,
    rehearsal::Rehearsal,
    time::{PlayDate, UnixMillis},
    work::{Position, Runnable, Wake},
};

use crate::StoreError;

/// The ledger, and every write that depends on a publication lease.
///
/// An adapter MUST run each method as one batch, all or nothing, MUST evaluate every
/// guard inside the write that it guards, and MUST read the clock once per batch, in
/// the guarded first statement.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PublicationLedger: Send + Sync {
    /// Items that a job may take in hand now and still catches up with, oldest first, after `after`, at most `limit`.
    async fn runnable(&self, after: Option<Position>, limit: u32) -> Result<Runnable, StoreError>;

    /// When there is work under a daily quota: see [`Wake`].
    async fn next_wake(&self, daily_quota: i64) -> Result<Wake, StoreError>;

    /// Claims an item's lease, marks the item `processing`, and reads all that rendering
    /// needs. An item that is not runnable, or that is too late for whoever asks, is neither
    /// claimed nor marked.
    async fn begin(&self, begin: &Begin) -> Result<Preflight, StoreError>;

    /// Reads the same, and takes nothing in hand.
    async fn look(&self, puzzle: PuzzleId) -> Result<Preflight, StoreError>;

    /// Takes an item's lease over at once, for an operator, and reads the same. The
    /// item's state is left as it is.
    async fn take_over(&self, begin: &Begin) -> Result<Preflight, StoreError>;

    /// Attempts a commit. If it is the deed of a person, its trace lands with it. A guard that says no writes nothing at all, and is no error.
    ///
    /// # Errors
    /// [`StoreErrorKind::Assertion`](crate::StoreErrorKind::Assertion) when the batch
    /// would have left page, item, receipt and revision at odds; it is rolled back.
    async fn commit(&self, commit: &Commit) -> Result<CommitReadback, StoreError>;

    /// Does what [`Self::begin`] and [`Self::commit`] would do to an item, with their very
    /// statements, after so many other publications of the day, tells what came of it, and
    /// undoes all of it. Trying it again is harmless.
    ///
    /// # Errors
    /// Those that the commit would have had. Or
    /// [`StoreErrorKind::NotUndone`](crate::StoreErrorKind::NotUndone), which a sound store
    /// never gives.
    async fn rehearse(&self, rehearsal: &Rehearsal) -> Result<CommitReadback, StoreError>;

    /// Looks for the receipt of one of `tokens`, to settle attempts without an answer.
    /// MUST read from the primary.
    async fn trace(&self, puzzle: PuzzleId, tokens: &[CommitToken]) -> Result<CommitTrace, StoreError>;

    /// Ends an attempt without a commit and releases the lease, if `lease` is still the
    /// holder's and the item still `processing`. Returns the item that stands afterwards.
    async fn finish(&self, lease: &Lease, ending: &Ending) -> Result<Option<Item>, StoreError>;

    /// Withdraws an item that has no page, and releases the lease: no receipt, no
    /// revision; `bank_revision` + 1. Returns the item that stands afterwards.
    ///
    /// This and every other method that takes an [`Entry`] traces what it changed, as
    /// [`ActionLog`](crate::ActionLog) says.
    async fn withdraw_unpublished(&self, lease: &Lease, entry: &Entry) -> Result<Option<Item>, StoreError>;

    /// Undoes [`Self::withdraw_unpublished`]: the item is `scheduled` again.
    async fn reinstate_unpublished(&self, lease: &Lease, entry: &Entry) -> Result<Option<Item>, StoreError>;

    /// Lets an item that is not out be tried again at once, its failures forgiven; takes
    /// it out of the hands of whoever has it. Returns the item that stands afterwards.
    async fn retry(&self, puzzle: PuzzleId, entry: &Entry) -> Result<Option<Item>, StoreError>;

    /// Moves the due instant of an item that has no page, if its present one is
    /// `expected` (where given) and the new one does not lie before the end of play. The
    /// visibility calendar has the new instant when it lands.
    async fn reschedule(
        &self,
        puzzle: PuzzleId,
        due_at: UnixMillis,
        expected: Option<UnixMillis>,
        entry: &Entry,
    ) -> Result<Rescheduled, StoreError>;

    /// Stops or resumes all that makes content public.
    async fn set_paused(&self, paused: bool, entry: &Entry) -> Result<(), StoreError>;

    /// Sets how many pages may be published on the present UTC day, whatever the settings
    /// say, if what is set for it is `expected` (where given); `None` leaves it to them
    /// again. Returns the row of the day.
    async fn set_quota(
        &self,
        quota: Option<i64>,
        expected: Option<Option<i64>>,
        entry: &Entry,
    ) -> Result<Option<DailyQuota>, StoreError>;

    /// Sets what jobs do about items that are late, if it is `expected` (where given).
    /// Returns what holds afterwards.
    async fn set_catch_up(
        &self,
        policy: CatchUp,
        expected: Option<CatchUp>,
        entry: &Entry,
    ) -> Result<CatchUp, StoreError>;

    /// Items for people, newest date of play first, those played before `before`.
    async fn items(&self, before: Option<PlayDate>, limit: u32) -> Result<Vec<ItemSummary>, StoreError>;

    /// Items for people, those played after `after`, the nearest date of play first.
    async fn later_items(&self, after: PlayDate, limit: u32) -> Result<Vec<ItemSummary>, StoreError>;

    /// All that is known of one item.
    async fn item(&self, puzzle: PuzzleId) -> Result<Option<ItemDetail>, StoreError>;
}
