//! The outbox: what is told to others, and what became of it.

use async_trait::async_trait;
use fencepost_domain::{
    action::Entry,
    id::OwnerId,
    outbox::{
        ClaimedEvent, DeliveryEnd, EventId, EventKind, EventState, OutboxEntry, OutboxTally, OutboxWork,
    },
};

use crate::StoreError;

/// The outbox.
///
/// An adapter MUST derive events from receipts, and so have none of a commit that did not
/// happen. It MUST NOT change anything else with what it does here: no publication depends
/// on an outbox.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Outbox: Send + Sync {
    /// What there is to do for whoever tells events of these kinds. It writes nothing, so it
    /// may be asked often.
    async fn work(&self, kinds: &[EventKind]) -> Result<OutboxWork, StoreError>;

    /// Enqueues the events of these kinds of all commits since it was done last, in their
    /// order. The first time there is no earlier one, and nothing of the past is told.
    ///
    /// An adapter MUST enqueue the event of a commit once, however many workers do this at
    /// once and however often, and MUST pass over no receipt of these kinds.
    async fn enqueue(&self, kinds: &[EventKind]) -> Result<(), StoreError>;

    /// Claims a pending event of these kinds that is due, whoever's it was before, for
    /// [`CLAIM_MS`](fencepost_domain::outbox::CLAIM_MS): the one that has been due longest.
    ///
    /// An adapter MUST NOT hand an event to anybody while it is claimed, MUST count the
    /// attempt and set the instant of the next one with the claim, and MUST answer an owner
    /// who asks again with what it has in hand.
    async fn claim(&self, kinds: &[EventKind], owner: &OwnerId) -> Result<Option<ClaimedEvent>, StoreError>;

    /// Records how the delivery of a claimed event ended, and gives it back. What it says of
    /// an event that somebody else has claimed since is not recorded. Returns where the event
    /// stands then; saying it twice changes nothing.
    async fn record(
        &self,
        claimed: &ClaimedEvent,
        end: &DeliveryEnd,
    ) -> Result<Option<EventState>, StoreError>;

    /// Lets an event that was not delivered be tried at once, with all of its attempts before
    /// it. One that would be already leaves no trace of it. Returns the event as it stands then;
    /// `None` if there is none of this name.
    async fn retry(&self, event: &EventId, entry: &Entry) -> Result<Option<OutboxEntry>, StoreError>;

    /// Events, the newest first: those numbered below `before`, in this state if one is
    /// named, at most `limit`.
    async fn events(
        &self,
        state: Option<EventState>,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<OutboxEntry>, StoreError>;

    /// How the outbox stands.
    async fn tally(&self) -> Result<OutboxTally, StoreError>;
}
