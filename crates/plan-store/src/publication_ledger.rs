//! [`PublicationLedger`], by plans.

use std::iter;

use async_trait::async_trait;
use fencepost_domain::{
    action::Entry,
    catch_up::CatchUp,
    commit::{Commit, CommitReadback},
    id::{CommitToken, PuzzleId},
    lease::Lease,
    ledger::{Ending, Item},
    quota::DailyQuota,
    rehearsal::Rehearsal,
    sorting::sort_by_key,
    time::{PlayDate, UnixMillis},
};
use fencepost_ports::{
    Begin, CommitTrace, ItemDetail, ItemSummary, Position, Preflight, PublicationLedger, Rescheduled,
    Runnable, StoreError, Wake,
};
use fencepost_sql::{
    action_log, commit as commit_plan, item_list, publication_ledger as plan, rehearsal as rehearsal_plan,
    switches,
};

use crate::{PlanRunner, PlanStore};

#[async_trait]
impl<R: PlanRunner> PublicationLedger for PlanStore<R> {
    async fn runnable(&self, after: Option<Position>, limit: u32) -> Result<Runnable, StoreError> {
        let (first, others) = self.0.read_some(plan::runnable(after, limit)).await?;
        let mut runnable = Runnable {
            now: first.now,
            paused: first.paused,
            quota: first.quota,
            items: Vec::new(),
            unreadable: Vec::new(),
        };
        for item in iter::once(first).chain(others).filter_map(|finding| finding.item) {
            match item {
                Ok(item) => runnable.items.push(item),
                Err(problem) => runnable.unreadable.push(problem.to_string()),
            }
        }
        sort_by_key(&mut runnable.items, |item| item.position);
        Ok(runnable)
    }

    async fn next_wake(&self, daily_quota: i64) -> Result<Wake, StoreError> {
        self.0.read_one(plan::next_wake(daily_quota)).await
    }

    async fn begin(&self, begin: &Begin) -> Result<Preflight, StoreError> {
        self.0.batch_one(plan::begin(begin)).await
    }

    async fn look(&self, puzzle: PuzzleId) -> Result<Preflight, StoreError> {
        self.0.read_one(plan::preflight(puzzle)).await
    }

    async fn take_over(&self, begin: &Begin) -> Result<Preflight, StoreError> {
        self.0.batch_one(plan::take_over(begin)).await
    }

    async fn commit(&self, commit: &Commit) -> Result<CommitReadback, StoreError> {
        self.0.batch_one(commit_plan::commit(commit)).await
    }

    async fn rehearse(&self, rehearsal: &Rehearsal) -> Result<CommitReadback, StoreError> {
        self.0.rehearse(rehearsal_plan::rehearsal(rehearsal)).await
    }

    async fn trace(&self, puzzle: PuzzleId, tokens: &[CommitToken]) -> Result<CommitTrace, StoreError> {
        self.0.read_one(commit_plan::trace(puzzle, tokens)).await
    }

    async fn finish(&self, lease: &Lease, ending: &Ending) -> Result<Option<Item>, StoreError> {
        self.item_after(plan::finish(lease, ending)).await
    }

    async fn withdraw_unpublished(&self, lease: &Lease, entry: &Entry) -> Result<Option<Item>, StoreError> {
        self.item_after(plan::withdraw_unpublished(lease, entry)).await
    }

    async fn reinstate_unpublished(&self, lease: &Lease, entry: &Entry) -> Result<Option<Item>, StoreError> {
        self.item_after(plan::reinstate_unpublished(lease, entry)).await
    }

    async fn retry(&self, puzzle: PuzzleId, entry: &Entry) -> Result<Option<Item>, StoreError> {
        self.item_after(plan::retry(puzzle, entry)).await
    }

    async fn reschedule(
        &self,
        puzzle: PuzzleId,
        due_at: UnixMillis,
        expected: Option<UnixMillis>,
        entry: &Entry,
    ) -> Result<Rescheduled, StoreError> {
        let moved = self.0.batch_optional(plan::reschedule(puzzle, due_at, expected, entry)).await?;
        Ok(moved.unwrap_or(Rescheduled { item: None, playable_until: None }))
    }

    async fn set_paused(&self, paused: bool, entry: &Entry) -> Result<(), StoreError> {
        self.0.batch_one(switches::set_paused(paused, entry)).await.map(drop)
    }

    async fn set_quota(
        &self,
        quota: Option<i64>,
        expected: Option<Option<i64>>,
        entry: &Entry,
    ) -> Result<Option<DailyQuota>, StoreError> {
        Ok(self.0.batch_optional(switches::set_quota(quota, expected, entry)).await?.flatten())
    }

    async fn set_catch_up(
        &self,
        policy: CatchUp,
        expected: Option<CatchUp>,
        entry: &Entry,
    ) -> Result<CatchUp, StoreError> {
        self.0.batch_one(switches::set_catch_up(policy, expected, entry)).await
    }

    async fn items(&self, before: Option<PlayDate>, limit: u32) -> Result<Vec<ItemSummary>, StoreError> {
        self.0.read(item_list::items(before, limit)).await
    }

    async fn later_items(&self, after: PlayDate, limit: u32) -> Result<Vec<ItemSummary>, StoreError> {
        self.0.read(item_list::later_items(after, limit)).await
    }

    async fn item(&self, puzzle: PuzzleId) -> Result<Option<ItemDetail>, StoreError> {
        let preflight = self.0.read_one(plan::preflight(puzzle)).await?;
        if preflight.puzzle.is_none() {
            return Ok(None);
        }
        let receipts = self.0.read(plan::receipts(puzzle)).await?;
        let actions = self.0.read(action_log::actions_of(puzzle)).await?;
        Ok(Some(ItemDetail { preflight, receipts, actions }))
    }
}

impl<R: PlanRunner> PlanStore<R> {
    async fn item_after(&self, batch: fencepost_sql::Batch<Rescheduled>) -> Result<Option<Item>, StoreError> {
        Ok(self.0.batch_optional(batch).await?.and_then(|read| read.item))
    }
}
