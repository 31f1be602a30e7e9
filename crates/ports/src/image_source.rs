//! Where photos come from.

use async_trait::async_trait;
use fencepost_domain::image::{FetchFailure, ImageFormat};

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
    async fn fetch(&self, url: &str) -> Result<FetchedImage, FetchFailure>;
}

/// A photo as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedImage {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What the bytes are.
    pub format: ImageFormat,
}
