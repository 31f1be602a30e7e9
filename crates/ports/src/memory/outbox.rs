//! The outbox.

use async_trait::async_trait;
use fencepost_domain::{
    action::Entry,
    id::OwnerId,
    outbox::{
        CLAIM_MS, ClaimedEvent, DeliveryEnd, Event, EventId, EventKind, EventState, OutboxEntry, OutboxTally,
        OutboxWork, wait_ms,
    },
    time::UnixMillis,
};

use super::{
    MemoryStore, State,
    action_log::{details, word},
    state::{Claim, StoredEvent},
};
use crate::{Outbox, StoreError};

#[async_trait]
impl Outbox for MemoryStore {
    async fn work(&self, kinds: &[EventKind]) -> Result<OutboxWork, StoreError> {
        Ok(self.read(|state, now| OutboxWork {
            now,
            is_behind: state.outbox_cursor.is_none_or(|cursor| cursor < state.publication_revision),
            next_at: state.pending(kinds).map(StoredEvent::free_at).min(),
        }))
    }

    async fn enqueue(&self, kinds: &[EventKind]) -> Result<(), StoreError> {
        self.write(|state, now| {
            let since = state.outbox_cursor.unwrap_or(state.publication_revision);
            let new = state.receipts.iter().filter(|receipt| receipt.revision > since).map(Event::of);
            for event in new.collect::<Vec<_>>() {
                state.enqueue(event, kinds, now);
            }
            state.outbox_cursor = Some(state.publication_revision);
            Ok(())
        })
    }

    async fn claim(&self, kinds: &[EventKind], owner: &OwnerId) -> Result<Option<ClaimedEvent>, StoreError> {
        self.write(|state, now| {
            if !state.outbox.iter().any(|stored| stored.is_claimed_by(owner)) {
                let due = state.pending(kinds).filter(|stored| stored.free_at() <= now);
                let first = due.map(|stored| (stored.entry.next_attempt_at, stored.entry.number)).min();
                if let Some((_, number)) = first
                    && let Some(stored) = state.outbox.iter_mut().find(|it| it.entry.number == number)
                {
                    stored.entry.attempts += 1;
                    stored.entry.next_attempt_at = now.plus(wait_ms(stored.entry.attempts));
                    stored.claim = Some(Claim { owner: owner.clone(), until: now.plus(CLAIM_MS) });
                }
            }
            let own = state.outbox.iter().find(|it| it.is_claimed_by(owner) && it.claimed_until() > now);
            Ok(own.map(|stored| ClaimedEvent {
                now,
                event: stored.entry.event.clone(),
                attempt: stored.entry.attempts,
                owner: owner.clone(),
            }))
        })
    }

    async fn record(
        &self,
        claimed: &ClaimedEvent,
        end: &DeliveryEnd,
    ) -> Result<Option<EventState>, StoreError> {
        self.write(|state, now| {
            let Some(stored) = state.event_mut(&claimed.event.event_id) else { return Ok(None) };
            if stored.is_claimed_by(&claimed.owner) {
                stored.claim = None;
                stored.entry.state = end.state(claimed.attempt);
                stored.entry.last_error = end.error();
                stored.entry.delivered_at = (stored.entry.state == EventState::Delivered).then_some(now);
            }
            Ok(Some(stored.entry.state))
        })
    }

    async fn retry(&self, event: &EventId, entry: &Entry) -> Result<Option<OutboxEntry>, StoreError> {
        self.write(|state, now| {
            let Some(stored) = state.event_mut(event) else { return Ok(None) };
            let (before, puzzle) = (stored.entry.state, stored.entry.event.puzzle_id());
            let detail = details([("event", word(event.as_str())), ("from", word(before.as_str()))]);
            let is_as_wanted = before == EventState::Pending
                && stored.entry.attempts == 0
                && stored.entry.next_attempt_at <= now;
            let can_be = before != EventState::Delivered && !is_as_wanted;
            let is_done = can_be && state.act(entry, puzzle, detail, now);
            let Some(stored) = state.event_mut(event) else { return Ok(None) };
            if is_done {
                stored.entry.state = EventState::Pending;
                stored.entry.attempts = 0;
                stored.entry.next_attempt_at = now;
            }
            Ok(Some(stored.entry.clone()))
        })
    }

    async fn events(
        &self,
        state: Option<EventState>,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<OutboxEntry>, StoreError> {
        Ok(self.read(|stored, _| {
            let entries = stored.outbox.iter().rev().map(|stored| &stored.entry);
            entries
                .filter(|entry| before.is_none_or(|before| entry.number < before))
                .filter(|entry| state.is_none_or(|state| entry.state == state))
                .take(limit as usize)
                .cloned()
                .collect()
        }))
    }

    async fn tally(&self) -> Result<OutboxTally, StoreError> {
        Ok(self.read(|state, _| {
            let count = |which| {
                let found = state.outbox.iter().filter(|stored| stored.entry.state == which).count();
                i64::try_from(found).expect("events fit into memory")
            };
            OutboxTally { pending: count(EventState::Pending), dead: count(EventState::Dead) }
        }))
    }
}

impl State {
    /// Enqueues an event, if its kind is one of these.
    pub(super) fn enqueue(&mut self, event: Event, kinds: &[EventKind], now: UnixMillis) {
        if !kinds.contains(&event.kind()) {
            return;
        }
        let number = self.outbox.last().map_or(1, |newest| newest.entry.number + 1);
        let entry = OutboxEntry {
            number,
            event,
            state: EventState::Pending,
            attempts: 0,
            created_at: now,
            next_attempt_at: now,
            last_error: None,
            delivered_at: None,
        };
        self.outbox.push(StoredEvent { entry, claim: None });
    }

    fn pending<'a>(&'a self, kinds: &'a [EventKind]) -> impl Iterator<Item = &'a StoredEvent> {
        self.outbox.iter().filter(|stored| {
            stored.entry.state == EventState::Pending && kinds.contains(&stored.entry.event.kind())
        })
    }

    fn event_mut(&mut self, event: &EventId) -> Option<&mut StoredEvent> {
        self.outbox.iter_mut().find(|stored| stored.entry.event.event_id == *event)
    }
}

impl StoredEvent {
    fn is_claimed_by(&self, owner: &OwnerId) -> bool {
        self.claim.as_ref().is_some_and(|claim| claim.owner == *owner)
    }

    pub(super) fn claimed_until(&self) -> UnixMillis {
        self.claim.as_ref().map_or(UnixMillis::new(0), |claim| claim.until)
    }

    /// From when on it can be claimed.
    fn free_at(&self) -> UnixMillis {
        self.entry.next_attempt_at.max(self.claimed_until())
    }
}
