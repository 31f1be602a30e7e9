//! Photos from the web.
//!
//! What is put up with from the host of a photo, and what is said about it when it fails,
//! is the [`Download`]'s to decide, here as on the Worker. This adapter brings what only
//! this machine has: a client, one deadline for the whole fetch, and a say in where a
//! connection may lead, see [`Reachable`].
//!
//! Redirects are followed by hand because the client's own policy sees neither the
//! addresses that its resolver refuses nor those written as digits.
//!
//! The environment's proxy settings are ignored. A proxy would resolve names itself, out
//! of reach of the check of addresses.

use std::{sync::Arc, time::Duration};

use crate::{
    causes::{causes, root_cause, trouble},
    reachable::{Reachable, RefusedAddress, guarded_client},
};
use async_trait::async_trait;
use fencepost_domain::{
    download::{Download, Head, Limits, Step, accept},
    image::FetchFailure,
};
use fencepost_ports::{FetchError, FetchedImage, ImageSource};
use reqwest::{
    Client, Response,
    header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION},
};

/// The limits of a fetch.
#[derive(Clone, Debug)]
pub struct FetchPolicy {
    /// Those that hold on every target.
    pub limits: Limits,
    /// How long a connection may take to be made, TLS included. 5 s.
    pub connect_timeout: Duration,
    /// Which addresses may be connected to. Public ones.
    pub reachable: Reachable,
}

impl Default for FetchPolicy {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            connect_timeout: Duration::from_secs(5),
            reachable: Reachable::Public,
        }
    }
}

/// Photos fetched by HTTP and HTTPS.
#[derive(Clone, Debug)]
pub struct HttpImages {
    client: Client,
    limits: Limits,
    /// Shared with the client's resolver.
    reachable: Arc<Reachable>,
}

impl HttpImages {
    /// A source that keeps to `policy`.
    ///
    /// Reads the machine's certificates, so it belongs at the start of a process.
    pub fn new(policy: FetchPolicy) -> Self {
        let reachable = Arc::new(policy.reachable);
        let client = guarded_client(&reachable, policy.connect_timeout, wanted());
        Self { client, limits: policy.limits, reachable }
    }

    async fn fetch_from(&self, mut download: Download) -> Result<FetchedImage, FetchFailure> {
        let mut response = self.follow(&mut download).await?;
        while let Some(part) = response.chunk().await.map_err(|problem| unanswered(&problem, &download))? {
            download.received(&part)?;
        }
        let (bytes, format) = download.finished()?;
        Ok(FetchedImage { bytes, format })
    }

    /// The first answer that is not a redirect.
    async fn follow(&self, download: &mut Download) -> Result<Response, FetchFailure> {
        loop {
            self.admit(download)?;
            let response = self.client.get(download.address().clone()).send().await;
            let response = response.map_err(|problem| unanswered(&problem, download))?;
            if hear(download, &response)? == Step::Read {
                return Ok(response);
            }
        }
    }

    /// Refuses what the resolver is never asked about.
    fn admit(&self, download: &Download) -> Result<(), FetchFailure> {
        match self.reachable.refusal(download.address()) {
            Some(refused) => Err(download.out_of_reach(refused)),
            None => Ok(()),
        }
    }
}

#[async_trait]
impl ImageSource for HttpImages {
    async fn fetch(&self, url: &str) -> Result<FetchedImage, FetchError> {
        let download = Download::begin(url, self.limits)?;
        let too_late = download.too_late();
        match tokio::time::timeout(self.limits.total_time, self.fetch_from(download)).await {
            Ok(end) => Ok(end?),
            Err(_) => Err(too_late.into()),
        }
    }
}

/// What every request says that it wants.
fn wanted() -> HeaderMap {
    let formats = HeaderValue::try_from(accept()).expect("media types are visible ASCII");
    // A photo gains nothing from another compression, and its limit is that of its bytes.
    HeaderMap::from_iter([(ACCEPT, formats), (ACCEPT_ENCODING, HeaderValue::from_static("identity"))])
}

/// Tells the download what was answered.
fn hear(download: &mut Download, response: &Response) -> Result<Step, FetchFailure> {
    let header = |name: HeaderName| response.headers().get(name).map(HeaderValue::as_bytes);
    download.answered(Head {
        status: response.status().as_u16(),
        status_text: &response.status().to_string(),
        location: header(LOCATION),
        content_type: header(CONTENT_TYPE),
        content_length: response.content_length(),
    })
}

/// The failure of a request without an answer, or without its end.
fn unanswered(problem: &reqwest::Error, download: &Download) -> FetchFailure {
    if let Some(refused) = causes(problem).find_map(|cause| cause.downcast_ref::<RefusedAddress>()) {
        return download.out_of_reach(refused);
    }
    let root = root_cause(problem);
    if problem.is_builder() {
        return download.impossible(format!("cannot be asked for ({root})"));
    }
    download.unanswered(format!("{} ({root})", trouble(problem)))
}
