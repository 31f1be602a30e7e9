//! Alerts as others are told of them.

use async_trait::async_trait;
use fencepost_domain::{
    episode::{AlertLook, Turned, Turns},
    id::OwnerId,
    outbox::EventKind,
};

use crate::StoreError;

/// The episodes of alerts.
///
/// Who is told of an alert is told of its beginning and of its end, once each. An adapter MUST
/// NOT change anything else with what it does here but the outbox.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait AlertLog: Send + Sync {
    /// What alerts are made of, and which episodes are open. It writes nothing, and may be
    /// asked often.
    async fn look(&self) -> Result<AlertLook, StoreError>;

    /// Writes down what follows from a look, and enqueues the events of these kinds of the
    /// episodes that it has opened or ended by that.
    ///
    /// An adapter MUST open an episode only where none of its alert is open, MUST move one
    /// only from where it was seen, MUST do neither when the look is too old to be
    /// [fresh](Turns::is_fresh), and MUST enqueue each event with what it tells of, or not at
    /// all. An owner speaks of one look. Returns what it has moved: saying it twice changes
    /// nothing.
    async fn turn(&self, turns: &Turns, kinds: &[EventKind], owner: &OwnerId) -> Result<Turned, StoreError>;
}
