//! [`AnswerPosts`], by plans.

use async_trait::async_trait;
use fencepost_domain::{
    id::PuzzleId,
    image::ImageKey,
    time::{PlayDate, UnixMillis},
};
use fencepost_ports::{
    AnswerPosts, AnswerView, FeedEntry, Home, ListedAnswer, SitemapEntry, Snapshot, StoreError,
};
use fencepost_sql::answer_posts as plan;

use crate::{PlanRunner, PlanStore};

#[async_trait]
impl<R: PlanRunner> AnswerPosts for PlanStore<R> {
    async fn home(&self, now: UnixMillis, answers: u32) -> Result<Snapshot<Home>, StoreError> {
        self.0.read_one(plan::home(now, answers)).await
    }

    async fn list(
        &self,
        now: UnixMillis,
        before: Option<PlayDate>,
        limit: u32,
    ) -> Result<Snapshot<Vec<ListedAnswer>>, StoreError> {
        self.0.read_one(plan::list(now, before, limit)).await
    }

    async fn answer(
        &self,
        now: UnixMillis,
        puzzle: PuzzleId,
    ) -> Result<Snapshot<Option<AnswerView>>, StoreError> {
        self.0.read_one(plan::answer(now, puzzle)).await
    }

    async fn feed(&self, now: UnixMillis, limit: u32) -> Result<Snapshot<Vec<FeedEntry>>, StoreError> {
        self.0.read_one(plan::feed(now, limit)).await
    }

    async fn sitemap(&self, now: UnixMillis, limit: u32) -> Result<Snapshot<Vec<SitemapEntry>>, StoreError> {
        self.0.read_one(plan::sitemap(now, limit)).await
    }

    async fn shows_image(&self, now: UnixMillis, key: &ImageKey) -> Result<Snapshot<bool>, StoreError> {
        self.0.read_one(plan::shows_image(now, key)).await
    }
}
