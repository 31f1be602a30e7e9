//! [`PublicationLedger`] on SQLite.

use async_trait::async_trait;
use fencepost_domain::{
    commit::{Commit, CommitReadback},
    id::{CommitToken, PuzzleId},
    lease::Lease,
    ledger::{Ending, Item},
    time::{PlayDate, UnixMillis},
};
use fencepost_ports::{
    Begin, CommitTrace, ItemDetail, ItemSummary, Position, Preflight, PublicationLedger, Rescheduled,
    Runnable, RunnableItem, StoreError, Wake,
};
use fencepost_sql::{commit as commit_plan, publication_ledger as plan};

use crate::SqliteStore;

#[async_trait]
impl PublicationLedger for SqliteStore {
    async fn runnable(&self, after: Option<Position>, limit: u32) -> Result<Runnable, StoreError> {
        let circumstances = self.read_one(plan::circumstances()).await?;
        let after = after.map(|position| (position.due_at, position.puzzle_id));
        let items = self.read(plan::runnable(after, limit)).await?;
        let item =
            |(due_at, puzzle_id, leased)| RunnableItem { position: Position { due_at, puzzle_id }, leased };
        Ok(Runnable {
            now: circumstances.now,
            paused: circumstances.paused,
            quota: circumstances.quota,
            items: items.into_iter().map(item).collect(),
        })
    }

    async fn next_wake(&self) -> Result<Wake, StoreError> {
        let (now, overdue, upcoming) = self.read_one(plan::next_wake()).await?;
        Ok(Wake { now, overdue, upcoming })
    }

    async fn begin(&self, begin: &Begin) -> Result<Preflight, StoreError> {
        self.batch_one(plan::begin(begin.puzzle_id, &begin.owner, begin.ttl_ms)).await.map(preflight)
    }

    async fn take_over(&self, begin: &Begin) -> Result<Preflight, StoreError> {
        self.batch_one(plan::take_over(begin.puzzle_id, &begin.owner, begin.ttl_ms)).await.map(preflight)
    }

    async fn commit(&self, commit: &Commit) -> Result<CommitReadback, StoreError> {
        self.batch_one(commit_plan::commit(commit)).await
    }

    async fn trace(&self, puzzle: PuzzleId, tokens: &[CommitToken]) -> Result<CommitTrace, StoreError> {
        let (now, receipt, content_version) = self.read_one(commit_plan::trace(puzzle, tokens)).await?;
        Ok(CommitTrace { now, receipt, content_version })
    }

    async fn finish(&self, lease: &Lease, ending: &Ending) -> Result<Option<Item>, StoreError> {
        self.item_after(plan::finish(lease, ending)).await
    }

    async fn withdraw_unpublished(&self, lease: &Lease) -> Result<Option<Item>, StoreError> {
        self.item_after(plan::withdraw_unpublished(lease)).await
    }

    async fn reinstate_unpublished(&self, lease: &Lease) -> Result<Option<Item>, StoreError> {
        self.item_after(plan::reinstate_unpublished(lease)).await
    }

    async fn retry(&self, puzzle: PuzzleId) -> Result<Option<Item>, StoreError> {
        self.item_after(plan::retry(puzzle)).await
    }

    async fn reschedule(
        &self,
        puzzle: PuzzleId,
        due_at: UnixMillis,
        expected: Option<UnixMillis>,
    ) -> Result<Rescheduled, StoreError> {
        let (item, playable_until) = self
            .batch_optional(plan::reschedule(puzzle, due_at, expected))
            .await?
            .map_or((None, None), |(item, playable_until)| (item, Some(playable_until)));
        Ok(Rescheduled { item, playable_until })
    }

    async fn set_paused(&self, paused: bool) -> Result<(), StoreError> {
        self.batch_one(plan::set_paused(paused)).await.map(drop)
    }

    async fn items(&self, before: Option<PlayDate>, limit: u32) -> Result<Vec<ItemSummary>, StoreError> {
        let rows = self.read(plan::items(before, limit)).await?;
        let summary = |row: plan::ItemRow| ItemSummary {
            puzzle_id: row.puzzle_id,
            play_date: row.play_date,
            name: row.name,
            item: row.item,
            content_version: row.content_version,
        };
        Ok(rows.into_iter().map(summary).collect())
    }

    async fn item(&self, puzzle: PuzzleId) -> Result<Option<ItemDetail>, StoreError> {
        let seen = preflight(self.read_one(plan::preflight(puzzle)).await?);
        if seen.puzzle.is_none() {
            return Ok(None);
        }
        let receipts = self.read(plan::receipts(puzzle)).await?;
        Ok(Some(ItemDetail { preflight: seen, receipts }))
    }
}

impl SqliteStore {
    async fn item_after(
        &self,
        batch: fencepost_sql::Batch<plan::ItemReading>,
    ) -> Result<Option<Item>, StoreError> {
        Ok(self.batch_optional(batch).await?.and_then(|(item, _)| item))
    }
}

fn preflight(seen: plan::Seen) -> Preflight {
    Preflight {
        now: seen.now,
        lease: seen.lease,
        item: seen.item,
        puzzle: seen.puzzle,
        image: seen.image,
        page: seen.page,
        paused: seen.paused,
        quota: seen.quota,
    }
}
