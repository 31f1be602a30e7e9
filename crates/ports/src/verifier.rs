//! The check that nothing is half published.

use async_trait::async_trait;
use fencepost_domain::{
    image::ImageKey,
    violation::{ReferencedImage, Schema, Violation},
};

use crate::StoreError;

/// Checks the whole database against the promises.
///
/// An adapter MUST look at everything, and MUST NOT write.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Verifier: Send + Sync {
    /// Every violation of an invariant; empty when all is well.
    async fn violations(&self) -> Result<Vec<Violation>, StoreError>;

    /// The photos that pages and ready photos refer to, in the order of their keys, after
    /// `after`.
    async fn referenced_images(
        &self,
        after: Option<ImageKey>,
        limit: u32,
    ) -> Result<Vec<ReferencedImage>, StoreError>;

    /// How the tables compare with those that this program was made for, by the list of
    /// migrations that is kept beside them.
    async fn schema(&self) -> Result<Schema, StoreError>;
}
