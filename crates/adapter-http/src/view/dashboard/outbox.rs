//! What others are told, and what became of it.

use askama::Template;
use fencepost_domain::{
    alert::Alert,
    job::Job,
    outbox::{EventState, OutboxEntry, OutboxTally, Subject},
    time::UnixMillis,
};

use super::{Moment, Page};
use crate::view::INFALLIBLE;

/// A page of events, the newest first.
#[derive(Template)]
#[template(path = "dashboard/outbox.html")]
pub(crate) struct OutboxPage {
    page: Page,
    /// Whether this site has a receiver.
    is_told: bool,
    tally: OutboxTally,
    /// The one state that is shown.
    shown: Option<&'static str>,
    lines: Vec<EventLine>,
    /// The query of the address where the list goes on.
    older: Option<String>,
}

struct EventLine {
    name: String,
    kind: &'static str,
    page: Option<PageLine>,
    alert: Option<AlertLine>,
    state: &'static str,
    happened: Moment,
    attempts: i64,
    /// When it is tried next, or when it was delivered.
    then: Option<Moment>,
    error: Option<String>,
    can_retry: bool,
}

struct PageLine {
    puzzle: i64,
    version: i64,
}

struct AlertLine {
    kind: &'static str,
    job: Option<&'static str>,
    meaning: String,
}

impl EventLine {
    fn new(entry: OutboxEntry, now: UnixMillis) -> Self {
        let OutboxEntry { event, state, .. } = entry;
        let then = match state {
            EventState::Pending => Some(entry.next_attempt_at),
            EventState::Delivered => entry.delivered_at,
            EventState::Dead => None,
        };
        let (name, kind) = (event.event_id.to_string(), event.kind().as_str());
        let (page, alert) = match event.subject {
            Subject::Page(page) => {
                let (puzzle, version) = (page.puzzle_id.get(), page.content_version.get());
                (Some(PageLine { puzzle, version }), None)
            }
            Subject::Alert(told) => {
                let Alert { kind, job, meaning, .. } = told.episode.alert;
                (None, Some(AlertLine { kind: kind.as_str(), job: job.map(Job::as_str), meaning }))
            }
        };
        Self {
            name,
            kind,
            page,
            alert,
            state: state.as_str(),
            happened: Moment::new(event.happened_at, now),
            attempts: entry.attempts,
            then: then.map(|at| Moment::new(at, now)),
            error: entry.last_error,
            can_retry: state != EventState::Delivered,
        }
    }
}

impl OutboxPage {
    /// The view of these events.
    pub(crate) fn new(
        page: Page,
        now: UnixMillis,
        is_told: bool,
        tally: OutboxTally,
        shown: Option<EventState>,
        entries: Vec<OutboxEntry>,
    ) -> Self {
        let shown = shown.map(EventState::as_str);
        let older = entries.last().map(|entry| entry.number).filter(|number| *number > 1);
        let state = shown.map_or_else(String::new, |state| format!("state={state}&"));
        Self {
            page,
            is_told,
            tally,
            shown,
            older: older.map(|number| format!("{state}before={number}")),
            lines: entries.into_iter().map(|entry| EventLine::new(entry, now)).collect(),
        }
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}
