//! Who is told what happens, and in which words.
//!
//! What is told is public at that instant, or was: which answer came out, changed, went or
//! came back, at which version, and where it can be read. Nothing of its content is, so no
//! embargo can be broken by a message that is late.
//!
//! A receiver has to know that it was this site that spoke. The signature covers the body and
//! the instant at which it was sent: whoever catches a message can repeat it, for as long as
//! the receiver lets it be old, and cannot change it. The signature changes from one attempt
//! to the next; the key of an event never does.

use std::sync::Arc;

use fencepost_domain::{
    id::{ContentVersion, PuzzleId},
    outbox::{ClaimedEvent, EventId, EventKind},
    revision::Revision,
};
use fencepost_ports::{Notice, Webhook};
use serde::Serialize;

/// Signs a text: HMAC-SHA256 in hexadecimal digits, by a secret that the receiver has as well.
pub type Sign = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// The receiver of events, and what it is told.
#[derive(Clone)]
pub struct Outlet {
    /// The way there.
    pub webhook: Arc<dyn Webhook>,
    /// Proves who speaks.
    pub sign: Sign,
    /// The kinds of event that are told.
    pub kinds: Vec<EventKind>,
    /// Scheme and host of the site's public address, if it knows them.
    pub origin: Option<String>,
}

#[derive(Serialize)]
struct Told<'a> {
    event: EventKind,
    id: &'a EventId,
    puzzle_id: PuzzleId,
    content_version: ContentVersion,
    revision: Revision,
    committed_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

impl Outlet {
    /// What is sent for a claimed event.
    pub(crate) fn notice(&self, claimed: &ClaimedEvent) -> Notice {
        let event = &claimed.event;
        let origin = self.origin.as_ref().filter(|_| event.kind.leaves_it_public());
        let told = Told {
            event: event.kind,
            id: &event.event_id,
            puzzle_id: event.puzzle_id,
            content_version: event.content_version,
            revision: event.revision,
            committed_at: event.happened_at.to_string(),
            url: origin.map(|origin| format!("{origin}/answers/{}", event.puzzle_id)),
        };
        let body = serde_json::to_string(&told).expect("an event is plain data with text keys");
        let seconds = claimed.now.get().div_euclid(1_000);
        let signature = (self.sign)(&format!("{seconds}.{body}"));
        Notice {
            headers: vec![
                ("idempotency-key", event.event_id.to_string()),
                ("x-fencepost-event", event.kind.as_str().to_owned()),
                ("x-fencepost-signature", format!("t={seconds},v1={signature}")),
            ],
            body,
        }
    }
}
