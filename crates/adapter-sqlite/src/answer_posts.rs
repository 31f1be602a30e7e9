//! [`AnswerPosts`] on SQLite.

use async_trait::async_trait;
use fencepost_domain::{
    id::PuzzleId,
    image::ImageKey,
    time::{PlayDate, UnixMillis},
    visibility::AnswerFacts,
};
use fencepost_ports::{AnswerPosts, AnswerView, Home, ListedAnswer, Neighbour, Snapshot, StoreError};
use fencepost_sql::answer_posts::{self as plan, AnswerRow, Versioned};

use crate::SqliteStore;

#[async_trait]
impl AnswerPosts for SqliteStore {
    async fn home(&self, now: UnixMillis, answers: u32) -> Result<Snapshot<Home>, StoreError> {
        let row = self.read_one(plan::home(now, answers)).await?;
        Ok(snapshot(row).map(|(today, latest)| Home { today, latest }))
    }

    async fn list(
        &self,
        now: UnixMillis,
        before: Option<PlayDate>,
        limit: u32,
    ) -> Result<Snapshot<Vec<ListedAnswer>>, StoreError> {
        self.read_one(plan::list(now, before, limit)).await.map(snapshot)
    }

    async fn answer(
        &self,
        now: UnixMillis,
        puzzle: PuzzleId,
    ) -> Result<Snapshot<Option<AnswerView>>, StoreError> {
        let row = self.read_one(plan::answer::<Neighbour>(now, puzzle)).await?;
        Ok(snapshot(row).map(|answer| answer.map(view)))
    }

    async fn shows_image(&self, now: UnixMillis, key: &ImageKey) -> Result<Snapshot<bool>, StoreError> {
        self.read_one(plan::shows_image(now, key)).await.map(snapshot)
    }
}

fn snapshot<T>(row: Versioned<T>) -> Snapshot<T> {
    Snapshot {
        publication_revision: row.publication_revision,
        bank_revision: row.bank_revision,
        value: row.value,
    }
}

fn view(row: AnswerRow<Neighbour>) -> AnswerView {
    AnswerView {
        facts: AnswerFacts {
            opens_at: row.opens_at,
            due_at: row.due_at,
            state: row.state,
            has_page: row.page.is_some(),
        },
        page: row.page,
        previous: row.previous,
        next: row.next,
    }
}
