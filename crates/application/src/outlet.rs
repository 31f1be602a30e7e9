//! Who is told what happens, and in which words.
//!
//! What is told of a page is public at that instant, or was: which answer came out, changed,
//! went or came back, at which version, and where it can be read. Nothing of its content is, so
//! no embargo can be broken by a message that is late. What is told of an alert is for people
//! who look after the site: what it means and what to do, and how many items it is about, but
//! never which.
//!
//! A receiver has to know that it was this site that spoke. The signature covers the body and
//! the instant at which it was sent: whoever catches a message can repeat it, for as long as
//! the receiver lets it be old, and cannot change it. The signature changes from one attempt
//! to the next; the key of an event never does.

use std::sync::Arc;

use fencepost_domain::{
    alert::{AlertKind, Severity},
    episode::Edge,
    job::Job,
    outbox::{AlertEdge, ClaimedEvent, Event, EventId, EventKind, PageChange, Subject},
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
    #[serde(flatten)]
    subject: ToldSubject<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ToldSubject<'a> {
    Page {
        #[serde(flatten)]
        page: &'a PageChange,
        committed_at: String,
    },
    Alert {
        alert: AlertKind,
        severity: Severity,
        #[serde(skip_serializing_if = "Option::is_none")]
        job: Option<Job>,
        #[serde(skip_serializing_if = "Option::is_none")]
        since: Option<String>,
        count: i64,
        meaning: &'a str,
        remedy: &'a str,
        raised_at: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        cleared_at: Option<String>,
    },
}

impl<'a> ToldSubject<'a> {
    fn of(event: &'a Event) -> Self {
        let happened_at = event.happened_at.to_string();
        match &event.subject {
            Subject::Page(page) => Self::Page { page, committed_at: happened_at },
            Subject::Alert(AlertEdge { edge, episode }) => Self::Alert {
                alert: episode.alert.kind,
                severity: episode.alert.severity,
                job: episode.alert.job,
                since: episode.alert.since.map(|since| since.to_string()),
                count: episode.alert.count,
                meaning: &episode.alert.meaning,
                remedy: &episode.alert.remedy,
                raised_at: episode.raised_at.to_string(),
                cleared_at: (*edge == Edge::Cleared).then_some(happened_at),
            },
        }
    }
}

impl Outlet {
    /// What is sent for a claimed event.
    pub(crate) fn notice(&self, claimed: &ClaimedEvent) -> Notice {
        let event = &claimed.event;
        let told = Told {
            event: event.kind(),
            id: &event.event_id,
            subject: ToldSubject::of(event),
            url: self.origin.as_ref().and_then(|origin| address(origin, &event.subject)),
        };
        let body = serde_json::to_string(&told).expect("an event is plain data with text keys");
        let seconds = claimed.now.get().div_euclid(1_000);
        let signature = (self.sign)(&format!("{seconds}.{body}"));
        Notice {
            headers: vec![
                ("idempotency-key", event.event_id.to_string()),
                ("x-fencepost-event", event.kind().as_str().to_owned()),
                ("x-fencepost-signature", format!("t={seconds},v1={signature}")),
            ],
            body,
        }
    }
}

/// Where to look: at the page, if it is public, or at the dashboard.
fn address(origin: &str, subject: &Subject) -> Option<String> {
    match subject {
        Subject::Page(page) if page.leaves_it_public() => {
            Some(format!("{origin}/answers/{}", page.puzzle_id))
        }
        Subject::Page(_) => None,
        Subject::Alert(_) => Some(format!("{origin}/admin")),
    }
}
