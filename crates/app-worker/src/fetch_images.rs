//! Photos from the web, by the platform's `fetch`.
//!
//! What is put up with from the host of a photo, and what is said about it when it fails,
//! is the [`Download`]'s to decide, here as on the server. This adapter brings the
//! requests, and one deadline for the whole fetch: when it passes, whatever is under way is
//! aborted, for a connection that nobody reads from would be held until the platform ends
//! it, and a Worker has six.
//!
//! Redirects are followed by hand, so that every address on the way is looked at by
//! [`named_hosts`]. The platform's own cache is not asked: a photo that
//! was corrected under its old address must be the new one. Each address that is asked is a
//! call of the invocation's budget.

use std::pin::pin;

use async_trait::async_trait;
use axum::http::StatusCode;
use fencepost_domain::{
    download::{Download, Head, Limits, Step, accept},
    image::FetchFailure,
};
use fencepost_ports::{Budget, FetchError, FetchedImage, ImageSource};
use futures_util::{
    StreamExt,
    future::{Either, select},
};
use worker::{AbortController, AbortSignal, Delay, Fetch, Headers, Request, Response, ResponseBody};

use crate::{named_hosts, outgoing_request::outgoing_request};

/// Which hosts may be visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hosts {
    /// Those with a name that may be public.
    Named,
    /// Every host.
    All,
}

impl Hosts {
    /// Every host if private ones are allowed, and otherwise those with a public name.
    pub(crate) const fn that_are(private_allowed: bool) -> Self {
        if private_allowed { Self::All } else { Self::Named }
    }
}

/// Photos fetched by HTTP and HTTPS.
#[derive(Clone, Debug)]
pub(crate) struct FetchImages {
    limits: Limits,
    hosts: Hosts,
    budget: Budget,
}

impl FetchImages {
    /// A source that keeps to `limits`, to `hosts` and to `budget`.
    pub(crate) const fn new(limits: Limits, hosts: Hosts, budget: Budget) -> Self {
        Self { limits, hosts, budget }
    }

    #[worker::send]
    async fn fetch_in_time(&self, download: Download) -> Result<FetchedImage, FetchError> {
        let too_late = download.too_late();
        let controller = AbortController::default();
        let signal = controller.signal();
        let fetched = pin!(self.fetch_from(download, &signal));
        let deadline = pin!(Delay::from(self.limits.total_time));
        let end = match select(fetched, deadline).await {
            Either::Left((end, _)) => end,
            Either::Right(_) => Err(too_late.into()),
        };
        // What was read to its end is not affected.
        controller.abort();
        end
    }

    async fn fetch_from(
        &self,
        mut download: Download,
        signal: &AbortSignal,
    ) -> Result<FetchedImage, FetchError> {
        let mut response = self.follow(&mut download, signal).await?;
        // Some statuses have no body at all, and then there is no stream to ask for.
        if !matches!(response.body(), ResponseBody::Empty) {
            let mut body = response.stream().map_err(|problem| broke_off(&problem, &download))?;
            while let Some(part) = body.next().await {
                download.received(&part.map_err(|problem| broke_off(&problem, &download))?)?;
            }
        }
        let (bytes, format) = download.finished()?;
        Ok(FetchedImage { bytes, format })
    }

    /// The first answer that is not a redirect.
    async fn follow(&self, download: &mut Download, signal: &AbortSignal) -> Result<Response, FetchError> {
        loop {
            if self.hosts == Hosts::Named {
                named_hosts::admit(download.address()).map_err(|reason| download.out_of_reach(reason))?;
            }
            let request = request_for(download)
                .map_err(|problem| download.impossible(format!("cannot be asked for ({problem})")))?;
            self.budget.spend(1)?;
            let response = Fetch::Request(request).send_with_signal(signal).await;
            let response = response
                .map_err(|problem| download.unanswered(format!("could not be connected to ({problem})")))?;
            if hear(download, &response)? == Step::Read {
                return Ok(response);
            }
        }
    }
}

#[async_trait]
impl ImageSource for FetchImages {
    async fn fetch(&self, url: &str) -> Result<FetchedImage, FetchError> {
        self.fetch_in_time(Download::begin(url, self.limits)?).await
    }
}

fn request_for(download: &Download) -> worker::Result<Request> {
    let headers = Headers::new();
    headers.set("accept", &accept())?;
    // A photo gains nothing from another compression, and its limit is that of its bytes.
    headers.set("accept-encoding", "identity")?;
    headers.set("user-agent", concat!("fencepost/", env!("CARGO_PKG_VERSION")))?;
    outgoing_request(download.address().as_str(), &headers, None)
}

/// Tells the download what was answered.
fn hear(download: &mut Download, response: &Response) -> Result<Step, FetchFailure> {
    let header = |name| response.headers().get(name).ok().flatten();
    let status = response.status_code();
    let status_text =
        StatusCode::from_u16(status).map_or_else(|_| status.to_string(), |status| status.to_string());
    download.answered(Head {
        status,
        status_text: &status_text,
        location: header("location").as_deref().map(str::as_bytes),
        content_type: header("content-type").as_deref().map(str::as_bytes),
        content_length: header("content-length").and_then(|length| length.parse().ok()),
    })
}

fn broke_off(problem: &worker::Error, download: &Download) -> FetchFailure {
    download.unanswered(format!("broke off ({problem})"))
}
