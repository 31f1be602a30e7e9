//! What readers see.

use async_trait::async_trait;
use fencepost_domain::{
    id::PuzzleId,
    image::ImageKey,
    reading::{AnswerView, FeedEntry, Home, ListedAnswer, SitemapEntry, Snapshot},
    time::{PlayDate, UnixMillis},
};

use crate::StoreError;

/// Published pages, read at an instant that the caller got from the store.
///
/// An adapter MUST show nothing whose `due_at` lies after `now`, published or not, MUST
/// read a page and the revisions that came with it in one query, and MUST NOT write.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait AnswerPosts: Send + Sync {
    /// Today's puzzle and the newest answers.
    async fn home(&self, now: UnixMillis, answers: u32) -> Result<Snapshot<Home>, StoreError>;

    /// Published answers, newest date of play first, those played before `before`.
    async fn list(
        &self,
        now: UnixMillis,
        before: Option<PlayDate>,
        limit: u32,
    ) -> Result<Snapshot<Vec<ListedAnswer>>, StoreError>;

    /// One answer with its neighbours, and how its puzzle was played so far; `None` for a
    /// puzzle that the bank does not have. An adapter MUST look at results of this puzzle
    /// alone, and at a handful of them, however many were reported to it.
    async fn answer(
        &self,
        now: UnixMillis,
        puzzle: PuzzleId,
    ) -> Result<Snapshot<Option<AnswerView>>, StoreError>;

    /// Published answers with what they say, newest date of play first.
    async fn feed(&self, now: UnixMillis, limit: u32) -> Result<Snapshot<Vec<FeedEntry>>, StoreError>;

    /// The published answers that search engines may keep, newest date of play first.
    async fn sitemap(&self, now: UnixMillis, limit: u32) -> Result<Snapshot<Vec<SitemapEntry>>, StoreError>;

    /// Whether an open puzzle or a public page shows this image.
    async fn shows_image(&self, now: UnixMillis, key: &ImageKey) -> Result<Snapshot<bool>, StoreError>;
}
