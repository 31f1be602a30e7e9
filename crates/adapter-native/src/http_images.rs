//! Photos from the web.
//!
//! The host of a photo is a stranger. It may be slow, send without end, send something
//! else than a photo, or point elsewhere, and a job that publishes many items must get
//! past it in a bounded time. So one deadline holds for the whole fetch, redirects
//! included; the size is limited while the bytes arrive, because a `Content-Length` may
//! be missing; and where a connection may lead is decided by [`Reachable`].
//!
//! The bytes decide what a photo is. A header is heeded only to refuse early: a host
//! that declares a page or an SVG has no photo at this address. Whether a JPEG was
//! declared as a PNG is of no interest to anybody.
//!
//! Every failure is sorted by who can help. What time may heal is *passing*, and the item
//! is tried again; everything else is *permanent*, and a person has to correct the bank.
//! When in doubt it is passing: a needless attempt costs one request, a needless block
//! costs a page.
//!
//! The environment's proxy settings are ignored. A proxy would resolve names itself, out
//! of reach of the check of addresses.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use fencepost_domain::image::{FailureKind, FetchFailure, ImageFormat};
use fencepost_ports::{FetchedImage, ImageSource};
use reqwest::{
    Client, Response, StatusCode,
    header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION},
};
use url::{Host, Url};

use crate::{
    causes::{causes, root_cause},
    next_hop::{is_redirect, next_hop},
    reachable::{GuardedResolver, Reachable, RefusedAddress},
    trusted_roots,
};

/// The limits of a fetch.
#[derive(Clone, Debug)]
pub struct FetchPolicy {
    /// How long a fetch may take, redirects and the last byte included. 20 s.
    pub total_timeout: Duration,
    /// How long a connection may take to be made, TLS included. 5 s.
    pub connect_timeout: Duration,
    /// How many bytes a photo may have. 8 MiB.
    pub max_bytes: usize,
    /// How many redirects are followed. 3.
    pub max_redirects: usize,
    /// Which addresses may be connected to. Public ones.
    pub reachable: Reachable,
}

impl Default for FetchPolicy {
    fn default() -> Self {
        Self {
            total_timeout: Duration::from_secs(20),
            connect_timeout: Duration::from_secs(5),
            max_bytes: 8 * 1024 * 1024,
            max_redirects: 3,
            reachable: Reachable::Public,
        }
    }
}

/// Photos fetched by HTTP and HTTPS.
#[derive(Clone, Debug)]
pub struct HttpImages {
    client: Client,
    policy: FetchPolicy,
    /// Shared with the client's resolver.
    reachable: Arc<Reachable>,
}

impl HttpImages {
    /// A source that keeps to `policy`.
    ///
    /// Reads the machine's certificates, so it belongs at the start of a process.
    pub fn new(policy: FetchPolicy) -> Self {
        let reachable = Arc::new(policy.reachable.clone());
        let client = Client::builder()
            .user_agent(concat!("fencepost/", env!("CARGO_PKG_VERSION")))
            .default_headers(wanted())
            .tls_backend_preconfigured(trusted_roots::tls_client())
            .dns_resolver(GuardedResolver(Arc::clone(&reachable)))
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(policy.connect_timeout)
            .build()
            .expect("a client with finished TLS settings and constant headers can be built");
        Self { client, policy, reachable }
    }

    async fn fetch_from(&self, asked: Url) -> Result<FetchedImage, FetchFailure> {
        let (place, response) = self.follow(asked).await?;
        let status = response.status();
        if !status.is_success() {
            return Err(refused_with(status, &place));
        }
        refuse_declared_type(&response, &place)?;
        let bytes = self.read(response, &place).await?;
        match ImageFormat::sniff(&bytes) {
            Some(format) => Ok(FetchedImage { bytes, format }),
            None => Err(permanent(format!(
                "{place} sent {} bytes that are no {}; correct image_url and import again",
                bytes.len(),
                known_formats()
            ))),
        }
    }

    /// The first answer that is not a redirect, and where it came from.
    async fn follow(&self, asked: Url) -> Result<(Place, Response), FetchFailure> {
        let mut place = Place { now: asked.clone(), asked };
        for _ in 0..=self.policy.max_redirects {
            self.admit(&place)?;
            let response = self.client.get(place.now.clone()).send().await;
            let response = response.map_err(|problem| unanswered(&problem, &place))?;
            if !is_redirect(response.status()) {
                return Ok((place, response));
            }
            place.now = next_hop(&place.now, response.headers().get(LOCATION))
                .map_err(|why| permanent(format!("{place} {why}; correct image_url and import again")))?;
        }
        Err(permanent(format!(
            "{} redirects more than {} times; correct image_url and import again",
            Shown(&place.asked),
            self.policy.max_redirects
        )))
    }

    /// Refuses what the resolver is never asked about.
    fn admit(&self, place: &Place) -> Result<(), FetchFailure> {
        if !matches!(place.now.scheme(), "http" | "https") {
            return Err(permanent(format!(
                "{place} is neither an http nor an https address; correct image_url and import again"
            )));
        }
        let address = match place.now.host() {
            Some(Host::Ipv4(address)) => address.into(),
            Some(Host::Ipv6(address)) => address.into(),
            Some(Host::Domain(_)) | None => return Ok(()),
        };
        if self.reachable.admits(address) {
            Ok(())
        } else {
            Err(out_of_reach(&RefusedAddress(address), place))
        }
    }

    async fn read(&self, mut response: Response, place: &Place) -> Result<Vec<u8>, FetchFailure> {
        let limit = self.policy.max_bytes;
        let too_large = || {
            permanent(format!(
                "{place} sends more than {limit} bytes; choose a smaller photo and import again"
            ))
        };
        let announced = response.content_length().map(usize::try_from);
        let announced = announced.transpose().map_err(|_| too_large())?.unwrap_or_default();
        if announced > limit {
            return Err(too_large());
        }
        let mut bytes = Vec::with_capacity(announced);
        while let Some(chunk) = response.chunk().await.map_err(|problem| unanswered(&problem, place))? {
            if bytes.len() + chunk.len() > limit {
                return Err(too_large());
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}

#[async_trait]
impl ImageSource for HttpImages {
    async fn fetch(&self, url: &str) -> Result<FetchedImage, FetchFailure> {
        // The text is not repeated: what cannot be parsed cannot be stripped of secrets.
        let asked = Url::parse(url).map_err(|problem| {
            permanent(format!("image_url is not an address ({problem}); correct it and import again"))
        })?;
        let limit = self.policy.total_timeout;
        let shown = Shown(&asked).to_string();
        match tokio::time::timeout(limit, self.fetch_from(asked)).await {
            Ok(end) => end,
            Err(_) => Err(passing(format!("{shown} did not send its photo within {limit:?}; {LATER}"))),
        }
    }
}

/// Where a fetch stands.
struct Place {
    asked: Url,
    now: Url,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Shown(&self.now).fmt(f)?;
        if self.now != self.asked {
            write!(f, " (where {} redirects to)", Shown(&self.asked))?;
        }
        Ok(())
    }
}

/// An address without what may be secret in it: user, password, and a query, which
/// often holds a signature.
struct Shown<'a>(&'a Url);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(url) = self;
        match url.host() {
            Some(host) => write!(f, "{}://{host}", url.scheme())?,
            None => write!(f, "{}:", url.scheme())?,
        }
        if let Some(port) = url.port() {
            write!(f, ":{port}")?;
        }
        let query = if url.query().is_some() { "?…" } else { "" };
        write!(f, "{}{query}", url.path())
    }
}

const LATER: &str = "the next run tries again";

/// What every request says that it wants.
fn wanted() -> HeaderMap {
    let formats = ImageFormat::ALL.map(ImageFormat::content_type).join(", ");
    let formats = HeaderValue::try_from(formats).expect("media types are visible ASCII");
    // A photo gains nothing from another compression, and its limit is that of its bytes.
    HeaderMap::from_iter([(ACCEPT, formats), (ACCEPT_ENCODING, HeaderValue::from_static("identity"))])
}

fn known_formats() -> String {
    ImageFormat::ALL.map(|format| format.extension().to_uppercase()).join(", ")
}

/// Refuses an answer that declares itself to be no photo, before reading it.
fn refuse_declared_type(response: &Response, place: &Place) -> Result<(), FetchFailure> {
    let Some(declared) = response.headers().get(CONTENT_TYPE) else { return Ok(()) };
    let declared = String::from_utf8_lossy(declared.as_bytes());
    let declared = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let may_be_photo = match declared.as_str() {
        "" | "application/octet-stream" | "binary/octet-stream" => true,
        "image/svg+xml" => false,
        other => other.starts_with("image/"),
    };
    if may_be_photo {
        return Ok(());
    }
    Err(permanent(format!(
        "{place} sends {declared}, not a photo ({}); correct image_url and import again",
        known_formats()
    )))
}

/// The failure of an answer that is neither a photo nor a redirect.
fn refused_with(status: StatusCode, place: &Place) -> FetchFailure {
    let what = format!("{place} answered {status}");
    if status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429) {
        passing(format!("{what}; {LATER}"))
    } else {
        permanent(format!("{what}; correct image_url and import again"))
    }
}

/// The failure of a request without an answer, or without its end.
fn unanswered(problem: &reqwest::Error, place: &Place) -> FetchFailure {
    if let Some(refused) = causes(problem).find_map(|cause| cause.downcast_ref::<RefusedAddress>()) {
        return out_of_reach(refused, place);
    }
    let root = root_cause(problem);
    if problem.is_builder() {
        return permanent(format!(
            "{place} cannot be asked for ({root}); correct image_url and import again"
        ));
    }
    let what = if problem.is_dns() {
        "could not be found by its name"
    } else if problem.is_connect() {
        "could not be connected to"
    } else {
        "broke off"
    };
    passing(format!("{place} {what} ({root}); {LATER}"))
}

fn out_of_reach(refused: &RefusedAddress, place: &Place) -> FetchFailure {
    permanent(format!(
        "{place} was not fetched: {refused}; \
         correct image_url and import again, or allow private addresses for images"
    ))
}

fn permanent(message: String) -> FetchFailure {
    FetchFailure { kind: FailureKind::Permanent, message }
}

fn passing(message: String) -> FetchFailure {
    FetchFailure { kind: FailureKind::Passing, message }
}
