//! How a photo is downloaded, without the downloading.
//!
//! The host of a photo is a stranger. It may send without end, send something else than
//! a photo, or point elsewhere, and a job that publishes many items must get past it in a
//! bounded time. What is put up with is the same wherever the site runs; how a request is
//! sent is not. So this is a [`Download`] that asks for nothing: it says which address to
//! ask next, is told what was answered, and collects the bytes. An adapter brings the
//! network and the patience, and has no rule of its own to get wrong.
//!
//! The bytes decide what a photo is. A header is heeded only to refuse early: a host
//! that declares a page or an SVG has no photo at this address. Whether a JPEG was
//! declared as a PNG is of no interest to anybody.
//!
//! Every failure is sorted by who can help. What time may heal is *passing*, and the item
//! is tried again; everything else is *permanent*, and a person has to correct the bank.
//! When in doubt it is passing: a needless attempt costs one request, a needless block
//! costs a page.

use std::{fmt, time::Duration};

use url::{ParseError, Url};

use crate::image::{FailureKind, FetchFailure, ImageFormat};

/// The limits of a download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long it may take, redirects and the last byte included. 20 s.
    pub total_time: Duration,
    /// How many bytes a photo may have. 8 MiB.
    pub max_bytes: usize,
    /// How many redirects are followed. 3.
    pub max_redirects: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { total_time: Duration::from_secs(20), max_bytes: 8 * 1024 * 1024, max_redirects: 3 }
    }
}

/// What every request says that it wants.
pub fn accept() -> String {
    ImageFormat::ALL.map(ImageFormat::content_type).join(", ")
}

/// A download under way.
#[derive(Clone, Debug)]
pub struct Download {
    limits: Limits,
    asked: Url,
    now: Url,
    redirects: usize,
    bytes: Vec<u8>,
}

/// What an answer says before its body.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// The status.
    pub status: u16,
    /// The status as people call it, such as `404 Not Found`.
    pub status_text: &'a str,
    /// The header `Location`.
    pub location: Option<&'a [u8]>,
    /// The header `Content-Type`.
    pub content_type: Option<&'a [u8]>,
    /// The length of the body, where it is declared.
    pub content_length: Option<u64>,
}

/// What to do after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Ask [`Download::address`] again, which is another one now.
    Follow,
    /// Read the body.
    Read,
}

impl Download {
    /// The download of the photo at `url`.
    ///
    /// # Errors
    /// For what is no address of the web.
    pub fn begin(url: &str, limits: Limits) -> Result<Self, FetchFailure> {
        // The text is not repeated: what cannot be parsed cannot be stripped of secrets.
        let asked = Url::parse(url).map_err(|problem| {
            let problem = complaint(problem);
            permanent(format!("image_url is not an address ({problem}); correct it and import again"))
        })?;
        let download = Self { limits, now: asked.clone(), asked, redirects: 0, bytes: Vec::new() };
        if !matches!(download.now.scheme(), "http" | "https") {
            return Err(download.impossible("is neither an http nor an https address"));
        }
        Ok(download)
    }

    /// The address to ask, without following redirects and without storing the answer.
    pub fn address(&self) -> &Url {
        &self.now
    }

    /// Takes note of an answer.
    ///
    /// # Errors
    /// For an answer that leads to no photo.
    pub fn answered(&mut self, head: Head<'_>) -> Result<Step, FetchFailure> {
        if matches!(head.status, 301 | 302 | 303 | 307 | 308) {
            self.follow(head.location)?;
            return Ok(Step::Follow);
        }
        if !(200..300).contains(&head.status) {
            return Err(self.refused_with(head.status, head.status_text));
        }
        self.refuse_declared_type(head.content_type)?;
        self.expect(head.content_length)?;
        Ok(Step::Read)
    }

    /// Takes a part of the body.
    ///
    /// # Errors
    /// When the body is longer than a photo may be.
    pub fn received(&mut self, part: &[u8]) -> Result<(), FetchFailure> {
        if self.bytes.len() + part.len() > self.limits.max_bytes {
            return Err(self.too_large());
        }
        self.bytes.extend_from_slice(part);
        Ok(())
    }

    /// The photo, once the body has ended.
    ///
    /// # Errors
    /// When it is no photo.
    pub fn finished(self) -> Result<(Vec<u8>, ImageFormat), FetchFailure> {
        match ImageFormat::sniff(&self.bytes) {
            Some(format) => Ok((self.bytes, format)),
            None => Err(self.impossible(format!(
                "sent {} bytes that are no {}",
                self.bytes.len(),
                known_formats()
            ))),
        }
    }

    /// The failure of a download that was not over in time.
    pub fn too_late(&self) -> FetchFailure {
        let limit = self.limits.total_time;
        passing(format!("{} did not send its photo within {limit:?}; {LATER}", Shown(&self.asked)))
    }

    /// The failure of an address from which no answer, or not all of it, came: `what`
    /// goes on the sentence that begins with the address.
    pub fn unanswered(&self, what: impl fmt::Display) -> FetchFailure {
        passing(format!("{self} {what}; {LATER}"))
    }

    /// The failure of an address that cannot have a photo: `what` goes on the sentence
    /// that begins with the address.
    pub fn impossible(&self, what: impl fmt::Display) -> FetchFailure {
        permanent(format!("{self} {what}; correct image_url and import again"))
    }

    /// The failure of an address that must not be visited, for `reason`.
    pub fn out_of_reach(&self, reason: impl fmt::Display) -> FetchFailure {
        permanent(format!(
            "{self} was not fetched: {reason}; \
             correct image_url and import again, or allow private addresses for images"
        ))
    }

    fn follow(&mut self, location: Option<&[u8]>) -> Result<(), FetchFailure> {
        self.now = next_hop(&self.now, location).map_err(|why| self.impossible(why))?;
        self.redirects += 1;
        if self.redirects > self.limits.max_redirects {
            return Err(permanent(format!(
                "{} redirects more than {} times; correct image_url and import again",
                Shown(&self.asked),
                self.limits.max_redirects
            )));
        }
        Ok(())
    }

    /// The failure of an answer that is neither a photo nor a redirect.
    fn refused_with(&self, status: u16, status_text: &str) -> FetchFailure {
        let what = format!("answered {status_text}");
        if status >= 500 || matches!(status, 408 | 425 | 429) {
            self.unanswered(what)
        } else {
            self.impossible(what)
        }
    }

    /// Refuses an answer that declares itself to be no photo, before it is read.
    fn refuse_declared_type(&self, declared: Option<&[u8]>) -> Result<(), FetchFailure> {
        let declared = String::from_utf8_lossy(declared.unwrap_or_default());
        let declared = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let may_be_photo = match declared.as_str() {
            "" | "application/octet-stream" | "binary/octet-stream" => true,
            "image/svg+xml" => false,
            other => other.starts_with("image/"),
        };
        if may_be_photo {
            return Ok(());
        }
        Err(self.impossible(format!("sends {declared}, not a photo ({})", known_formats())))
    }

    /// Makes room for a body of the declared length, or refuses it before it comes.
    fn expect(&mut self, announced: Option<u64>) -> Result<(), FetchFailure> {
        match usize::try_from(announced.unwrap_or_default()) {
            Ok(announced) if announced <= self.limits.max_bytes => {
                self.bytes.reserve(announced);
                Ok(())
            }
            _ => Err(self.too_large()),
        }
    }

    fn too_large(&self) -> FetchFailure {
        let limit = self.limits.max_bytes;
        permanent(format!("{self} sends more than {limit} bytes; choose a smaller photo and import again"))
    }
}

/// The address as failures name it.
impl fmt::Display for Download {
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

fn known_formats() -> String {
    ImageFormat::ALL.map(|format| format.extension().to_ascii_uppercase()).join(", ")
}

fn permanent(message: String) -> FetchFailure {
    FetchFailure { kind: FailureKind::Permanent, message }
}

fn passing(message: String) -> FetchFailure {
    FetchFailure { kind: FailureKind::Passing, message }
}

/// The address that an answer of `from` with this `Location` sends the client to.
///
/// # Errors
/// Why it must not be followed, as the end of a sentence that begins with the address.
fn next_hop(from: &Url, location: Option<&[u8]>) -> Result<Url, String> {
    let Some(location) = location else {
        return Err("redirects without saying where to".to_owned());
    };
    // Browsers read these bytes as UTF-8 too, although the standard allows ASCII only.
    let to = std::str::from_utf8(location)
        .ok()
        .and_then(|location| from.join(location).ok())
        .ok_or("redirects to something that is not an address")?;
    match (from.scheme(), to.scheme()) {
        ("https", "http") => Err("redirects from https to http".to_owned()),
        (_, "http" | "https") => Ok(to),
        (_, other) => Err(format!("redirects to an address with the scheme {other}")),
    }
}

/// What is wrong with a text that is no address, and what to write where that is not plain.
pub(crate) fn complaint(problem: ParseError) -> String {
    match problem {
        ParseError::IdnaError => {
            format!("{problem}: write a host with letters beyond ASCII in its ASCII form, xn--…")
        }
        problem => problem.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1A\nand the rest of it";
    const OK: Head<'_> = Head {
        status: 200,
        status_text: "200 OK",
        location: None,
        content_type: Some(b"image/png"),
        content_length: None,
    };

    fn begun(url: &str) -> Download {
        Download::begin(url, Limits { max_bytes: 100, ..Limits::default() }).unwrap()
    }

    fn to(location: &str) -> Head<'_> {
        Head { status: 302, status_text: "302 Found", location: Some(location.as_bytes()), ..OK }
    }

    fn check_hop(from: &str, location: &[u8], expected: Result<&str, &str>) {
        let from = Url::parse(from).unwrap();
        let actual = next_hop(&from, Some(location));
        assert_eq!(actual.as_ref().map(Url::as_str).map_err(String::as_str), expected);
    }

    #[test]
    fn a_redirect_leads_where_a_browser_would_go() {
        check_hop("https://a.example/x/y.png", b"z.png", Ok("https://a.example/x/z.png"));
        check_hop("https://a.example/x/y.png", b"/z.png", Ok("https://a.example/z.png"));
        check_hop("https://a.example/x", b"//b.example/z", Ok("https://b.example/z"));
        check_hop("http://a.example/x", b"https://b.example/z", Ok("https://b.example/z"));
        check_hop("http://a.example/x", b"http://b.example/z", Ok("http://b.example/z"));
        check_hop("https://a.example/x", "/käse.png".as_bytes(), Ok("https://a.example/k%C3%A4se.png"));
    }

    #[test]
    fn a_redirect_never_leaves_the_web_or_gives_up_encryption() {
        check_hop("https://a.example/x", b"http://a.example/x", Err("redirects from https to http"));
        check_hop(
            "https://a.example/x",
            b"file:///etc/passwd",
            Err("redirects to an address with the scheme file"),
        );
        check_hop(
            "http://a.example/x",
            b"data:image/png,",
            Err("redirects to an address with the scheme data"),
        );
    }

    #[test]
    fn a_redirect_to_nowhere_is_refused() {
        check_hop("http://a.example/x", b"http://[", Err("redirects to something that is not an address"));
        check_hop("http://a.example/x", b"\xFF", Err("redirects to something that is not an address"));
        let from = Url::parse("http://a.example/x").unwrap();
        assert_eq!(next_hop(&from, None), Err("redirects without saying where to".to_owned()));
    }

    #[test]
    fn a_photo_arrives_in_parts_after_up_to_three_redirects() {
        let mut download = begun("https://a.example/1");
        for hop in ["2", "3", "https://b.example/4"] {
            assert_eq!(download.answered(to(hop)), Ok(Step::Follow));
        }
        assert_eq!(download.address().as_str(), "https://b.example/4");
        assert_eq!(download.answered(OK), Ok(Step::Read));
        for part in PNG.chunks(3) {
            download.received(part).unwrap();
        }
        assert_eq!(download.finished(), Ok((PNG.to_vec(), ImageFormat::Png)));
    }

    #[test]
    fn every_kind_of_photo_is_asked_for() {
        assert_eq!(accept(), "image/jpeg, image/png, image/webp, image/avif, image/gif");
    }

    #[test]
    fn a_host_that_declares_no_type_or_length_may_have_a_photo() {
        let declared: [Option<&[u8]>; 6] = [
            None,
            Some(b""),
            Some(b"application/octet-stream"),
            Some(b"Binary/Octet-Stream; x"),
            Some(b" image/heic"),
            Some(b"image/png;x"),
        ];
        for content_type in declared {
            for content_length in [None, Some(0), Some(100)] {
                let head = Head { content_type, content_length, ..OK };
                assert_eq!(begun("https://a.example/1").answered(head), Ok(Step::Read), "{head:?}");
            }
        }
    }

    #[test]
    fn a_failure_names_both_addresses_and_no_secret() {
        let mut download = begun("https://ada:hunter2@a.example:8443/1?signature=hunter2");
        download.answered(to("https://b.example/2?hunter2")).unwrap();
        let failure = download.answered(Head { status: 404, status_text: "404 Not Found", ..OK });
        assert_eq!(
            failure.unwrap_err().message,
            "https://b.example/2?… (where https://a.example:8443/1?… redirects to) answered 404 Not Found; \
             correct image_url and import again"
        );
    }

    /// Checks how the answers, and then a body of so many bytes, end.
    fn check(heads: &[Head<'_>], body: usize, kind: FailureKind, says: &str) {
        let mut download = begun("https://a.example/1");
        let end = heads
            .iter()
            .try_for_each(|head| download.answered(*head).map(drop))
            .and_then(|()| download.received(&vec![0; body]))
            .and_then(|()| download.finished().map(drop));
        let failure = end.unwrap_err();
        assert_eq!(failure.kind, kind, "{}", failure.message);
        assert!(failure.message.contains(says), "{:?} does not say {says:?}", failure.message);
    }

    #[test]
    fn a_failure_is_passing_when_time_may_heal_it() {
        use FailureKind::{Passing, Permanent};
        let status = |status, status_text| Head { status, status_text, ..OK };
        check(&[status(404, "404 Not Found")], 0, Permanent, "answered 404 Not Found");
        check(&[status(304, "304 Not Modified")], 0, Permanent, "answered 304");
        for (code, name) in [(408, "408"), (425, "425"), (429, "429"), (500, "500"), (530, "530")] {
            check(&[status(code, name)], 0, Passing, "the next run tries again");
        }
        check(&[Head { content_type: Some(b"text/html; x"), ..OK }], 0, Permanent, "sends text/html, not a");
        check(&[Head { content_type: Some(b"image/svg+xml"), ..OK }], 0, Permanent, "sends image/svg+xml");
        check(&[Head { content_length: Some(101), ..OK }], 0, Permanent, "more than 100 bytes");
        check(&[Head { content_length: Some(u64::MAX), ..OK }], 0, Permanent, "more than 100 bytes");
        check(&[OK], 101, Permanent, "more than 100 bytes");
        check(&[OK], 100, Permanent, "sent 100 bytes that are no JPG, PNG");
        check(&[to("/2"), to("/3"), to("/4"), to("/5")], 0, Permanent, "/1 redirects more than 3 times");
        assert_eq!(begun("https://a.example/1").too_late().kind, Passing);
    }

    #[test]
    fn only_the_web_has_photos() {
        let check = |url: &str, says: &str| {
            let failure = Download::begin(url, Limits::default()).unwrap_err();
            assert_eq!(failure.kind, FailureKind::Permanent);
            assert!(failure.message.contains(says), "{}", failure.message);
        };
        check("ftp://a.example/1", "ftp://a.example/1 is neither an http nor an https address");
        check("data:image/png,", "neither an http nor an https address");
        check("photo.png", "image_url is not an address");
        check("http://hunter2:hunter2@[", "image_url is not an address (invalid IPv6 address); correct it");
    }
}
