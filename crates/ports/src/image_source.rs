//! Where photos come from.

use async_trait::async_trait;
use fencepost_domain::image::{FetchFailure, ImageFormat};

use crate::Exhausted;

/// The outside world's photos.
///
/// An adapter MUST bound the time, the size and the number of redirects of a fetch, MUST
/// accept only the formats of [`ImageFormat`], judged by the bytes, and MUST refuse
/// private, loopback and link-local addresses (at every redirect too) unless configured
/// otherwise.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ImageSource: Send + Sync {
    /// Fetches the photo at `url`.
    async fn fetch(&self, url: &str) -> Result<FetchedImage, FetchError>;
}

/// A photo as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedImage {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What the bytes are.
    pub format: ImageFormat,
}

/// Why there is no photo.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The photo could not be had.
    #[error("{}", .0.message)]
    Failed(FetchFailure),
    /// It was not asked for, or a redirect was not followed. That says nothing of the photo.
    #[error("the photo was not asked for: {0}")]
    OverBudget(#[from] Exhausted),
}

impl From<FetchFailure> for FetchError {
    fn from(failure: FetchFailure) -> Self {
        Self::Failed(failure)
    }
}
