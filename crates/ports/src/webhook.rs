//! The way to whoever is told what happened.

use async_trait::async_trait;

use crate::Exhausted;

/// The receiver of events.
///
/// An adapter MUST send the notice by POST, once, to the receiver that it was configured
/// for, with the headers of the notice, `content-type: application/json` and a `user-agent`.
/// It MUST end within [`ANSWER_MS`](fencepost_domain::outbox::ANSWER_MS), MUST NOT follow a
/// redirect, and MUST refuse private, loopback and link-local addresses unless configured
/// otherwise. The body of the answer is nobody's business.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait Webhook: Send + Sync {
    /// Sends a notice; returns the status of the answer.
    async fn post(&self, notice: &Notice) -> Result<u16, WebhookError>;
}

/// What is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Names in lower case, and values in visible ASCII.
    pub headers: Vec<(&'static str, String)>,
    /// JSON.
    pub body: String,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// The receiver did not answer; it may have the notice all the same.
    #[error("{0}")]
    Unanswered(String),
    /// It was not sent.
    #[error("the receiver was not asked: {0}")]
    OverBudget(#[from] Exhausted),
}
