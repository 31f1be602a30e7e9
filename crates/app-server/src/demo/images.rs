//! The demo's photos, served from the binary.
//!
//! They take the way of every photo: fetched once under a lease, stored under their
//! hash, recorded. Only the first step is short: their host, which does not exist anywhere
//! else, is answered here. It is answered by every command and not only with `--demo`,
//! because a demo database stays one when `fencepost run` is pointed at it.

use async_trait::async_trait;
use fencepost_adapter_native::HttpImages;
use fencepost_demo::{HOST, photo};
use fencepost_domain::image::{FailureKind, FetchFailure, ImageFormat};
use fencepost_ports::{FetchError, FetchedImage, ImageSource};
use url::Url;

/// The demo's photos, and behind them everybody else's.
#[derive(Debug)]
pub(crate) struct DemoImages<S = HttpImages> {
    web: S,
}

impl<S> DemoImages<S> {
    /// Puts the demo's photos in front of `web`.
    pub(crate) fn before(web: S) -> Self {
        Self { web }
    }
}

#[async_trait]
impl<S: ImageSource> ImageSource for DemoImages<S> {
    async fn fetch(&self, url: &str) -> Result<FetchedImage, FetchError> {
        match demo_path(url) {
            Some(path) => Ok(bundled(&path)?),
            None => self.web.fetch(url).await,
        }
    }
}

/// The path of an address of the demo's host.
fn demo_path(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    (url.host_str() == Some(HOST)).then(|| url.path().trim_start_matches('/').to_owned())
}

fn bundled(path: &str) -> Result<FetchedImage, FetchFailure> {
    match photo(path) {
        Some(bytes) => Ok(FetchedImage { bytes: bytes.to_vec(), format: ImageFormat::Webp }),
        None => Err(FetchFailure {
            kind: FailureKind::Permanent,
            message: format!("the demo has no photo {path:?}; correct image_url and import again"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Web;

    #[async_trait]
    impl ImageSource for Web {
        async fn fetch(&self, url: &str) -> Result<FetchedImage, FetchError> {
            let message = format!("asked the web for {url}");
            Err(FetchError::Failed(FetchFailure { kind: FailureKind::Passing, message }))
        }
    }

    #[tokio::test]
    async fn only_the_reserved_host_is_served_from_the_binary() {
        let source = DemoImages::before(Web);
        let check = async |url: &str, expected: Result<(), FailureKind>| {
            let got = source.fetch(url).await.map(drop).map_err(|error| match error {
                FetchError::Failed(failure) => failure.kind,
                FetchError::OverBudget(exhausted) => panic!("{exhausted}"),
            });
            assert_eq!(got, expected, "{url}");
        };
        check("https://demo.invalid/teapot.webp", Ok(())).await;
        check("http://demo.invalid/teapot.webp", Ok(())).await;
        check("https://demo.invalid/unknown.webp", Err(FailureKind::Permanent)).await;
        check("https://demo.invalid/", Err(FailureKind::Permanent)).await;
        check("https://demo.invalid.example/teapot.webp", Err(FailureKind::Passing)).await;
        check("https://example.org/demo.invalid/teapot.webp", Err(FailureKind::Passing)).await;
    }
}
