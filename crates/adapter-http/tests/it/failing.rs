//! A store that answers nothing but errors.

use async_trait::async_trait;
use fencepost_domain::{
    id::PuzzleId, image::ImageKey, revision::SiteMoment, time::PlayDate, time::UnixMillis,
};
use fencepost_ports::{
    AnswerPosts, AnswerView, FeedEntry, Home, ListedAnswer, ReferencedImage, RevisionSource, Schema,
    SitemapEntry, Snapshot, StoreError, Verifier, Violation,
};

/// Every question gets this error.
pub(crate) struct Failing(pub(crate) StoreError);

impl Failing {
    fn fail<T>(&self) -> Result<T, StoreError> {
        Err(self.0.clone())
    }
}

#[async_trait]
impl RevisionSource for Failing {
    async fn moment(&self) -> Result<SiteMoment, StoreError> {
        self.fail()
    }
}

#[async_trait]
impl AnswerPosts for Failing {
    async fn home(&self, _: UnixMillis, _: u32) -> Result<Snapshot<Home>, StoreError> {
        self.fail()
    }

    async fn list(
        &self,
        _: UnixMillis,
        _: Option<PlayDate>,
        _: u32,
    ) -> Result<Snapshot<Vec<ListedAnswer>>, StoreError> {
        self.fail()
    }

    async fn answer(&self, _: UnixMillis, _: PuzzleId) -> Result<Snapshot<Option<AnswerView>>, StoreError> {
        self.fail()
    }

    async fn feed(&self, _: UnixMillis, _: u32) -> Result<Snapshot<Vec<FeedEntry>>, StoreError> {
        self.fail()
    }

    async fn sitemap(&self, _: UnixMillis, _: u32) -> Result<Snapshot<Vec<SitemapEntry>>, StoreError> {
        self.fail()
    }

    async fn shows_image(&self, _: UnixMillis, _: &ImageKey) -> Result<Snapshot<bool>, StoreError> {
        self.fail()
    }
}

#[async_trait]
impl Verifier for Failing {
    async fn violations(&self) -> Result<Vec<Violation>, StoreError> {
        self.fail()
    }

    async fn referenced_images(
        &self,
        _: Option<ImageKey>,
        _: u32,
    ) -> Result<Vec<ReferencedImage>, StoreError> {
        self.fail()
    }

    async fn schema(&self) -> Result<Schema, StoreError> {
        self.fail()
    }
}
