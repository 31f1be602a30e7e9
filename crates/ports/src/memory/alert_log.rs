//! The episodes of alerts.

use async_trait::async_trait;
use fencepost_domain::{
    alert::Alert,
    episode::{AlertLook, Edge, Episode, Move, OpenEpisode, Step, Turned, Turns},
    id::OwnerId,
    outbox::{Event, EventKind},
    time::UnixMillis,
};

use super::{
    MemoryStore, State,
    state::{Cleared, StoredEpisode},
};
use crate::{AlertLog, StoreError};

#[async_trait]
impl AlertLog for MemoryStore {
    async fn look(&self) -> Result<AlertLook, StoreError> {
        Ok(self.read(|state, now| {
            let open = state.episodes.iter().filter(|stored| stored.cleared.is_none());
            AlertLook { vitals: state.vitals(now), open: open.map(StoredEpisode::shown).collect() }
        }))
    }

    async fn turn(&self, turns: &Turns, kinds: &[EventKind], owner: &OwnerId) -> Result<Turned, StoreError> {
        self.write(|state, now| {
            if turns.is_fresh(now) {
                for alert in &turns.raised {
                    state.raise(alert, kinds, owner, now);
                }
                for it in &turns.moves {
                    state.go_on(it, kinds, owner, now);
                }
            }
            let count = |moved: &dyn Fn(&StoredEpisode) -> bool| {
                let found = state.episodes.iter().filter(|stored| moved(stored)).count();
                i64::try_from(found).expect("episodes fit into memory")
            };
            Ok(Turned {
                raised: count(&|stored| stored.raised_by == *owner),
                cleared: count(&|stored| stored.cleared.as_ref().is_some_and(|it| it.by == *owner)),
            })
        })
    }
}

impl State {
    fn go_on(&mut self, it: &Move, kinds: &[EventKind], owner: &OwnerId, now: UnixMillis) {
        let is_meant = |stored: &&mut StoredEpisode| {
            stored.episode.number == it.number
                && stored.cleared.is_none()
                && stored.calm_since == it.calm_since
        };
        let Some(stored) = self.episodes.iter_mut().find(is_meant) else { return };
        match it.step {
            Step::Calm => stored.calm_since = Some(now),
            Step::Return => stored.calm_since = None,
            Step::Clear => {
                stored.cleared = Some(Cleared { at: now, by: owner.clone() });
                let event = Event::of_alert(stored.episode.clone(), Edge::Cleared, now);
                self.enqueue(event, kinds, now);
            }
        }
    }

    fn raise(&mut self, alert: &Alert, kinds: &[EventKind], owner: &OwnerId, now: UnixMillis) {
        let is_open = |stored: &StoredEpisode| {
            let told = &stored.episode.alert;
            stored.cleared.is_none() && (told.kind, told.job) == (alert.kind, alert.job)
        };
        if self.episodes.iter().any(is_open) {
            return;
        }
        let number = i64::try_from(self.episodes.len()).expect("episodes fit into memory") + 1;
        let episode = Episode { number, alert: alert.clone(), raised_at: now };
        let stored = StoredEpisode {
            episode: episode.clone(),
            raised_by: owner.clone(),
            calm_since: None,
            cleared: None,
        };
        self.episodes.push(stored);
        self.enqueue(Event::of_alert(episode, Edge::Raised, now), kinds, now);
    }
}

impl StoredEpisode {
    /// What can be told of it.
    pub(super) fn events(&self) -> impl Iterator<Item = Event> {
        let raised = Event::of_alert(self.episode.clone(), Edge::Raised, self.episode.raised_at);
        let cleared = self.cleared.as_ref();
        let cleared = cleared.map(|it| Event::of_alert(self.episode.clone(), Edge::Cleared, it.at));
        [raised].into_iter().chain(cleared)
    }

    fn shown(&self) -> OpenEpisode {
        let Episode { number, alert, .. } = &self.episode;
        OpenEpisode { number: *number, kind: alert.kind, job: alert.job, calm_since: self.calm_since }
    }
}
