//! Telling others what happened: at least once, and under one key.
//!
//! The receiver is not trusted with anything. It may hang, fail, or take a message and lose
//! the answer, so an event is delivered only when it says so, and is sent again until then.
//! It cannot keep anybody waiting either: no commit knows of it, a run is at its end before
//! anything is sent, and a server delivers beside its jobs. A receiver that has just failed is
//! left alone until somebody looks again, whatever else there is for it.

use fencepost_domain::{
    action::{ActionKind, Actor},
    outbox::{ClaimedEvent, DeliveryEnd, EventId, EventState, OutboxEntry, OutboxTally},
};
use fencepost_ports::{StoreError, WebhookError};
use serde::Serialize;

use crate::{Outlet, Site, Stop, boxed::Boxed, cost};

/// How many events one page of their list shows.
const EVENTS_PAGE: u32 = 100;

/// What was delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeliveryReport {
    /// Events that the receiver has.
    pub delivered: u32,
    /// Attempts that failed; tried again later, or dead.
    pub failed: u32,
}

impl Site {
    /// Enqueues what has happened, alerts that began or ended among it, and delivers what is due, one event after the other, until
    /// nothing is due, the receiver fails, the budget is used up, or somebody wants it to stop.
    /// Without a receiver, nothing is enqueued.
    ///
    /// # Errors
    /// A store that misbehaves. What was sent and not recorded is sent again, under the same
    /// key.
    pub async fn deliver_events(&self, stop: &Stop) -> Result<DeliveryReport, StoreError> {
        let mut report = DeliveryReport::default();
        let Some(outlet) = &self.outlet else { return Ok(report) };
        self.watch_alerts_if_possible(0).await;
        if !self.budget.affords(cost::LOOK_FOR_EVENTS + cost::ENQUEUE) {
            return Ok(report);
        }
        let work = self.persistently(|| self.stores.outbox.work(&outlet.kinds)).await?;
        if work.is_behind {
            self.persistently(|| self.stores.outbox.enqueue(&outlet.kinds)).await?;
        } else if !work.is_due() {
            return Ok(report);
        }
        while !stop.is_requested() && self.budget.affords(cost::DELIVERY) {
            match self.deliver_one(outlet).await? {
                None => break,
                Some(DeliveryEnd::Delivered) => report.delivered += 1,
                Some(DeliveryEnd::Failed(_) | DeliveryEnd::Gone(_)) => {
                    report.failed += 1;
                    break;
                }
            }
        }
        Ok(report)
    }

    /// The same for whoever has something else to tell: a store that misbehaves is only logged.
    pub fn deliver_events_if_possible<'a>(&'a self, stop: &'a Stop) -> Boxed<'a, DeliveryReport> {
        Box::pin(async move {
            self.deliver_events(stop).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "events were not all delivered; the next look goes on");
                DeliveryReport::default()
            })
        })
    }

    /// `None` if nothing is due.
    async fn deliver_one(&self, outlet: &Outlet) -> Result<Option<DeliveryEnd>, StoreError> {
        let owner = self.new_owner();
        let claimed = self.persistently(|| self.stores.outbox.claim(&outlet.kinds, &owner)).await?;
        let Some(claimed) = claimed else { return Ok(None) };
        let kept = self.budget.keep(cost::RECORD_DELIVERY);
        let end = match outlet.webhook.post(&outlet.notice(&claimed)).await {
            Ok(status) => DeliveryEnd::of_status(status),
            Err(error @ (WebhookError::Unanswered(_) | WebhookError::OverBudget(_))) => {
                DeliveryEnd::Failed(error.to_string())
            }
        };
        drop(kept);
        let state = self.persistently(|| self.stores.outbox.record(&claimed, &end)).await?;
        log(&claimed, &end, state);
        Ok(Some(end))
    }

    /// Events, the newest first: those numbered below `before`, in this state if one is named.
    pub async fn events(
        &self,
        state: Option<EventState>,
        before: Option<i64>,
    ) -> Result<Vec<OutboxEntry>, StoreError> {
        self.stores.outbox.events(state, before, EVENTS_PAGE).await
    }

    /// How many events wait to be delivered, and how many for a person.
    pub async fn outbox_tally(&self) -> Result<OutboxTally, StoreError> {
        self.stores.outbox.tally().await
    }

    /// Lets an event that was not delivered be tried at once. Returns where it stands then;
    /// `None` if there is none of this name.
    pub async fn retry_event(&self, by: &Actor, event: &EventId) -> Result<Option<OutboxEntry>, StoreError> {
        let entry = self.entry(by, ActionKind::Resend);
        self.persistently(|| self.stores.outbox.retry(event, &entry)).await
    }
}

fn log(claimed: &ClaimedEvent, end: &DeliveryEnd, state: Option<EventState>) {
    let (event, attempt) = (&claimed.event.event_id, claimed.attempt);
    let why = end.error().unwrap_or_default();
    match state {
        Some(EventState::Delivered) => tracing::info!(%event, attempt, "an event was delivered"),
        Some(EventState::Dead) => {
            tracing::error!(%event, attempt, "an event is dead until somebody retries it: {why}");
        }
        Some(EventState::Pending) | None => {
            tracing::warn!(%event, attempt, "an event was not delivered; it is tried again: {why}");
        }
    }
}
