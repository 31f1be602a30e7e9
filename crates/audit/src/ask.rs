//! How a site is asked.

use async_trait::async_trait;
use fencepost_domain::time::UnixMillis;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The method, in capitals.
    pub method: &'static str,
    /// Path and query, as they are sent: nothing is cleaned up on the way.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// A body: JSON, or a form.
    pub body: Option<String>,
    /// Whether the admin token goes with it.
    pub as_operator: bool,
}

impl Question {
    /// A plain request.
    pub fn new(method: &'static str, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), headers: Vec::new(), body: None, as_operator: false }
    }

    /// The same request with a header more.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The same request from whoever holds the admin token.
    #[must_use]
    pub fn by_operator(self) -> Self {
        Self { as_operator: true, ..self }
    }

    /// Such as `GET /answers/7 (range: bytes=0-0)`.
    pub(crate) fn words(&self) -> String {
        let mut notes: Vec<_> = self.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        notes.extend(self.as_operator.then(|| "as operator".to_owned()));
        let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
        format!("{} {}{notes}", self.method, self.path)
    }
}

/// The stretch of time, by the site's clock, in which an answer was made. Both ends may be it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The earliest instant that it can have been.
    pub from: UnixMillis,
    /// The latest.
    pub until: UnixMillis,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, as it was sent.
    pub body: Vec<u8>,
    /// When it was made.
    pub window: Window,
}

impl Answer {
    /// Whether the site could not answer, or would not, because it was asked too often.
    pub(crate) const fn is_fault(&self) -> bool {
        self.status >= 500 || self.status == 429
    }

    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A request that got no answer. The message tells what happened and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AskError(pub String);

/// The way to a site.
#[async_trait]
pub trait Ask: Send + Sync {
    /// Sends a request and waits for its answer. Follows no redirect, keeps no cookie and
    /// decodes no body: what is judged is what a stranger would see on the wire.
    ///
    /// # Errors
    /// There was no answer.
    async fn ask(&self, question: &Question) -> Result<Answer, AskError>;

    /// Whether [`Question::as_operator`] can be kept.
    fn has_token(&self) -> bool;
}
