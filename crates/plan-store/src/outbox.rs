//! [`Outbox`], by plans.

use async_trait::async_trait;
use fencepost_domain::{action::Entry, id::OwnerId};
use fencepost_ports::{
    ClaimedEvent, DeliveryEnd, EventId, EventKind, EventState, Outbox, OutboxEntry, OutboxTally, OutboxWork,
    StoreError,
};
use fencepost_sql::outbox as plan;

use crate::{PlanRunner, PlanStore};

#[async_trait]
impl<R: PlanRunner> Outbox for PlanStore<R> {
    async fn work(&self, kinds: &[EventKind]) -> Result<OutboxWork, StoreError> {
        self.0.read_one(plan::work(kinds)).await
    }

    async fn enqueue(&self, kinds: &[EventKind]) -> Result<(), StoreError> {
        self.0.batch_one(plan::enqueue(kinds)).await.map(drop)
    }

    async fn claim(&self, kinds: &[EventKind], owner: &OwnerId) -> Result<Option<ClaimedEvent>, StoreError> {
        self.0.batch_optional(plan::claim(kinds, owner)).await
    }

    async fn record(
        &self,
        claimed: &ClaimedEvent,
        end: &DeliveryEnd,
    ) -> Result<Option<EventState>, StoreError> {
        let entry = self.0.batch_optional(plan::record(claimed, end)).await?;
        Ok(entry.map(|entry| entry.state))
    }

    async fn retry(&self, event: &EventId, entry: &Entry) -> Result<Option<OutboxEntry>, StoreError> {
        self.0.batch_optional(plan::retry(event, entry)).await
    }

    async fn events(
        &self,
        state: Option<EventState>,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<OutboxEntry>, StoreError> {
        self.0.read(plan::events(state, before, limit)).await
    }

    async fn tally(&self) -> Result<OutboxTally, StoreError> {
        self.0.read_one(plan::tally()).await
    }
}
