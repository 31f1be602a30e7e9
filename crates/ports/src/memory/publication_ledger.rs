//! The ledger: items in hand, and the ends of those that got no commit.

use async_trait::async_trait;
use fencepost_domain::{
    action::{DetailValue, Entry},
    catch_up::CatchUp,
    commit::{Commit, CommitReadback},
    id::{CommitToken, PuzzleId},
    lease::{self, Lease, LeaseKey},
    ledger::{Ending, Item, ItemState},
    quota::DailyQuota,
    rehearsal::Rehearsal,
    time::{PlayDate, UnixMillis},
};

use super::{
    MemoryStore, State,
    action_log::{details, number, word},
};
use crate::{
    Begin, CommitTrace, ItemDetail, ItemSummary, Position, Preflight, PublicationLedger, Rescheduled,
    Runnable, RunnableItem, StoreError, Wake,
};

#[async_trait]
impl PublicationLedger for MemoryStore {
    async fn runnable(&self, after: Option<Position>, limit: u32) -> Result<Runnable, StoreError> {
        Ok(self.read(|state, now| Runnable {
            now,
            paused: state.paused,
            quota: state.quota(now),
            items: state.runnable(now, after, limit),
            unreadable: Vec::new(),
        }))
    }

    async fn next_wake(&self, daily_quota: i64) -> Result<Wake, StoreError> {
        Ok(self.read(|state, now| state.next_wake(now, daily_quota)))
    }

    async fn begin(&self, begin: &Begin) -> Result<Preflight, StoreError> {
        self.write(|state, now| {
            state.begin(begin, now);
            Ok(state.preflight(begin.puzzle_id, now))
        })
    }

    async fn look(&self, puzzle: PuzzleId) -> Result<Preflight, StoreError> {
        Ok(self.read(|state, now| state.preflight(puzzle, now)))
    }

    async fn take_over(&self, begin: &Begin) -> Result<Preflight, StoreError> {
        self.write(|state, now| {
            if state.items.contains_key(&begin.puzzle_id) {
                let row = lease::take_over(state.lease(begin.key()), &begin.owner, now, begin.ttl_ms);
                state.set_lease(begin.key(), row, now);
            }
            Ok(state.preflight(begin.puzzle_id, now))
        })
    }

    async fn commit(&self, commit: &Commit) -> Result<CommitReadback, StoreError> {
        self.write(|state, now| state.commit(commit, now))
    }

    async fn rehearse(&self, rehearsal: &Rehearsal) -> Result<CommitReadback, StoreError> {
        self.read(|state, now| {
            let mut stage = state.clone();
            stage.begin(&rehearsal.begin, now);
            stage.count_published(rehearsal.earlier, rehearsal.daily_quota, now);
            let readback = stage.commit(&rehearsal.commit(), now)?;
            Ok(CommitReadback { committed_at: None, ..readback })
        })
    }

    async fn trace(&self, puzzle: PuzzleId, tokens: &[CommitToken]) -> Result<CommitTrace, StoreError> {
        Ok(self.read(|state, now| CommitTrace {
            now,
            receipt: state
                .receipts
                .iter()
                .find(|receipt| receipt.puzzle_id == puzzle && tokens.contains(&receipt.commit_token))
                .cloned(),
            content_version: state.content_version(puzzle),
        }))
    }

    async fn finish(&self, lease: &Lease, ending: &Ending) -> Result<Option<Item>, StoreError> {
        self.write(|state, now| {
            state.end(lease, now, |state, item| {
                if item.state == ItemState::Processing {
                    state.items.insert(lease.key.puzzle_id(), ending.apply(&item, now));
                }
            })
        })
    }

    async fn withdraw_unpublished(&self, lease: &Lease, entry: &Entry) -> Result<Option<Item>, StoreError> {
        self.write(|state, now| {
            state.end(lease, now, |state, item| {
                state.edit_item(lease.key.puzzle_id(), &item, item.withdrawn_unpublished(), entry, now);
            })
        })
    }

    async fn reinstate_unpublished(&self, lease: &Lease, entry: &Entry) -> Result<Option<Item>, StoreError> {
        self.write(|state, now| {
            state.end(lease, now, |state, item| {
                let changed = item.reinstated_unpublished(state.has_page(lease));
                state.edit_item(lease.key.puzzle_id(), &item, changed, entry, now);
            })
        })
    }

    async fn retry(&self, puzzle: PuzzleId, entry: &Entry) -> Result<Option<Item>, StoreError> {
        self.write(|state, now| {
            let Some(item) = state.items.get(&puzzle).cloned() else { return Ok(None) };
            let retried = item.retried();
            let detail = details([
                ("attempts", Some(item.attempts.into())),
                ("from", word(item.state.as_str())),
                ("to", word(retried.state.as_str())),
            ]);
            if retried != item && state.act(entry, Some(puzzle), detail, now) {
                state.items.insert(puzzle, retried);
            }
            Ok(state.items.get(&puzzle).cloned())
        })
    }

    async fn reschedule(
        &self,
        puzzle: PuzzleId,
        due_at: UnixMillis,
        expected: Option<UnixMillis>,
        entry: &Entry,
    ) -> Result<Rescheduled, StoreError> {
        self.write(|state, now| {
            let playable_until = state.puzzle(puzzle).map(|puzzle| puzzle.playable_until);
            if let (Some(playable_until), Some(item)) = (playable_until, state.items.get(&puzzle).cloned())
                && expected.is_none_or(|expected| expected == item.due_at)
                && let Some(moved) = item.rescheduled(due_at, playable_until)
                && state.act(
                    entry,
                    Some(puzzle),
                    details([("from", number(item.due_at)), ("to", number(due_at))]),
                    now,
                )
            {
                state.bank_revision += 1;
                state.items.insert(puzzle, moved);
                state.record_instants(puzzle);
            }
            Ok(Rescheduled { item: state.items.get(&puzzle).cloned(), playable_until })
        })
    }

    async fn set_paused(&self, paused: bool, entry: &Entry) -> Result<(), StoreError> {
        self.write(|state, now| {
            let flag = |paused| Some(i64::from(paused).into());
            let detail = details([("from", flag(state.paused)), ("to", flag(paused))]);
            if state.paused != paused && state.act(entry, None, detail, now) {
                state.paused = paused;
            }
            Ok(())
        })
    }

    async fn set_quota(
        &self,
        quota: Option<i64>,
        expected: Option<Option<i64>>,
        entry: &Entry,
    ) -> Result<Option<DailyQuota>, StoreError> {
        self.write(|state, now| {
            let row = state.quota(now);
            let before = row.and_then(|row| row.set_quota);
            let detail =
                details([("from", before.map(DetailValue::from)), ("to", quota.map(DetailValue::from))]);
            let as_seen = expected.is_none_or(|expected| expected == before);
            if as_seen && before != quota && state.act(entry, None, detail, now) {
                state.quotas.insert(now.utc_day(), DailyQuota::set(row, quota));
            }
            Ok(state.quota(now))
        })
    }

    async fn set_catch_up(
        &self,
        policy: CatchUp,
        expected: Option<CatchUp>,
        entry: &Entry,
    ) -> Result<CatchUp, StoreError> {
        self.write(|state, now| {
            let before = state.catch_up;
            let late = |policy: CatchUp| Some(i64::from(policy.publish_late).into());
            let age = |policy: CatchUp| policy.skip_older_than.map(DetailValue::from);
            let detail = details([
                ("from_publish_late", late(before)),
                ("from_skip_older_than", age(before)),
                ("publish_late", late(policy)),
                ("skip_older_than", age(policy)),
            ]);
            let as_seen = expected.is_none_or(|expected| expected == before);
            if as_seen && before != policy && state.act(entry, None, detail, now) {
                state.catch_up = policy;
            }
            Ok(state.catch_up)
        })
    }

    async fn items(&self, before: Option<PlayDate>, limit: u32) -> Result<Vec<ItemSummary>, StoreError> {
        Ok(self.read(|state, _| {
            let mut items: Vec<_> = state
                .items
                .iter()
                .filter_map(|(id, item)| state.summary(*id, item))
                .filter(|summary| before.is_none_or(|before| summary.play_date < before))
                .collect();
            items.sort_by_key(|summary| std::cmp::Reverse(summary.play_date));
            items.truncate(limit as usize);
            items
        }))
    }

    async fn later_items(&self, after: PlayDate, limit: u32) -> Result<Vec<ItemSummary>, StoreError> {
        Ok(self.read(|state, _| {
            let items = state.items.iter().filter_map(|(id, item)| state.summary(*id, item));
            let mut items: Vec<_> = items.filter(|summary| after < summary.play_date).collect();
            items.sort_by_key(|summary| summary.play_date);
            items.truncate(limit as usize);
            items
        }))
    }

    async fn item(&self, puzzle: PuzzleId) -> Result<Option<ItemDetail>, StoreError> {
        Ok(self.read(|state, now| {
            state.items.contains_key(&puzzle).then(|| ItemDetail {
                preflight: state.preflight(puzzle, now),
                receipts: state.receipts_of(puzzle).cloned().collect(),
                actions: state
                    .actions
                    .iter()
                    .filter(|action| action.puzzle_id == Some(puzzle))
                    .cloned()
                    .collect(),
            })
        }))
    }
}

impl State {
    pub(super) fn next_wake(&self, now: UnixMillis, daily_quota: i64) -> Wake {
        let standstill = self.paused || !DailyQuota::under(self.quota(now), daily_quota).has_left();
        let wakes = || self.wakes(now);
        let overdue = wakes().filter(|(at, _)| *at <= now && !standstill).map(|(_, due_at)| due_at).min();
        Wake { now, overdue, upcoming: wakes().map(|(at, _)| at).filter(|at| *at > now).min() }
    }

    /// How many items a run that began at `now` would take in hand.
    pub(super) fn free_work(&self, now: UnixMillis) -> i64 {
        let count = self.wakes(now).filter(|(at, _)| *at <= now).count();
        i64::try_from(count).expect("items fit into memory")
    }

    /// When each item that is to come is due, rested and free, and when it is due.
    fn wakes(&self, now: UnixMillis) -> impl Iterator<Item = (UnixMillis, UnixMillis)> {
        let wanted = move |item: &Item| item.due_at > now || self.catch_up.still_wants(item.due_at, now);
        self.items.iter().filter(move |(_, item)| wanted(item)).filter_map(move |(id, item)| {
            let at = item.wakes_at(self.lease(LeaseKey::Publication(*id)), now)?;
            Some((at, item.due_at))
        })
    }

    fn photo_is_ready(&self, id: PuzzleId) -> bool {
        let wanted = self.puzzle(id).and_then(|puzzle| puzzle.image_url.as_deref());
        wanted.is_none_or(|url| self.image(id).is_some_and(|image| image.ready_for(url).is_some()))
    }

    fn runnable(&self, now: UnixMillis, after: Option<Position>, limit: u32) -> Vec<RunnableItem> {
        let mut items: Vec<_> = self
            .items
            .iter()
            .filter(|(_, item)| item.is_runnable(now) && self.catch_up.still_wants(item.due_at, now))
            .map(|(id, item)| RunnableItem {
                position: Position { due_at: item.due_at, puzzle_id: *id },
                leased: self.lease(LeaseKey::Publication(*id)).is_some_and(|row| row.is_live(now)),
                photo_ready: self.photo_is_ready(*id),
            })
            .filter(|item| after.is_none_or(|after| item.position > after))
            .collect();
        items.sort_by_key(|item| item.position);
        items.truncate(limit as usize);
        items
    }

    /// Claims and marks an item that is runnable and free.
    fn begin(&mut self, begin: &Begin, now: UnixMillis) {
        let item = self.items.get(&begin.puzzle_id);
        if !item.is_some_and(|item| begin.may_take(item, self.catch_up, now)) {
            return;
        }
        let Some(row) = lease::claim(self.lease(begin.key()), &begin.owner, now, begin.ttl_ms) else {
            return;
        };
        let live = row.is_live(now);
        self.set_lease(begin.key(), row, now);
        if live && let Some(item) = self.items.get_mut(&begin.puzzle_id) {
            item.state = ItemState::Processing;
        }
    }

    /// All that is seen of an item at one instant.
    pub(super) fn preflight(&self, puzzle: PuzzleId, now: UnixMillis) -> Preflight {
        Preflight {
            now,
            lease: self.lease(LeaseKey::Publication(puzzle)).cloned(),
            item: self.items.get(&puzzle).cloned(),
            puzzle: self.puzzle(puzzle).cloned(),
            image: self.image(puzzle).cloned(),
            page: self.page(puzzle).cloned(),
            paused: self.paused,
            quota: self.quota(now),
            catch_up: self.catch_up,
        }
    }

    /// Lets the holder of `lease` change its item one last time, and releases the lease.
    fn end(
        &mut self,
        lease: &Lease,
        now: UnixMillis,
        change: impl FnOnce(&mut Self, Item),
    ) -> Result<Option<Item>, StoreError> {
        let id = lease.key.puzzle_id();
        if self.is_holder(lease) {
            if let Some(item) = self.items.get(&id).cloned() {
                change(self, item);
            }
            self.release(lease, now);
        }
        Ok(self.items.get(&id).cloned())
    }

    /// Writes an item that the bank's pages show differently from now on, for a person.
    fn edit_item(
        &mut self,
        id: PuzzleId,
        item: &Item,
        changed: Option<Item>,
        entry: &Entry,
        now: UnixMillis,
    ) {
        let Some(changed) = changed else { return };
        let states = [("from", item), ("to", &changed)];
        let detail = details(states.map(|(name, item)| (name, word(item.state.as_str()))));
        if self.act(entry, Some(id), detail, now) {
            self.items.insert(id, changed);
            self.bank_revision += 1;
        }
    }

    fn has_page(&self, lease: &Lease) -> bool {
        self.pages.contains_key(&lease.key.puzzle_id())
    }

    fn summary(&self, id: PuzzleId, item: &Item) -> Option<ItemSummary> {
        let puzzle = self.puzzle(id)?;
        Some(ItemSummary {
            puzzle_id: id,
            play_date: puzzle.play_date,
            name: puzzle.name.clone(),
            item: item.clone(),
            content_version: self.content_version(id),
        })
    }
}
