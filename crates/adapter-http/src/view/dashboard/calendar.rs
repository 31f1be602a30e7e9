//! The ledger, as a calendar.

use askama::Template;
use fencepost_domain::{
    ledger::ItemState,
    time::{PlayDate, UnixMillis},
};
use fencepost_ports::ItemSummary;

use super::{Moment, Page};
use crate::view::{DateText, INFALLIBLE};

/// A page of the calendar.
#[derive(Template)]
#[template(path = "dashboard/calendar.html")]
pub(crate) struct CalendarPage {
    page: Page,
    before: Option<DateText>,
    lines: Vec<Line>,
    older: Option<DateText>,
}

struct Line {
    number: i64,
    date: DateText,
    name: String,
    state: &'static str,
    /// Whether it is due and not out.
    is_overdue: bool,
    due: Moment,
    version: i64,
    reason: Option<String>,
}

impl Line {
    fn new(item: ItemSummary, now: UnixMillis) -> Self {
        let waits =
            matches!(item.item.state, ItemState::Scheduled | ItemState::Processing | ItemState::Blocked);
        Self {
            number: item.puzzle_id.get(),
            date: item.play_date.into(),
            name: item.name,
            state: item.item.state.as_str(),
            is_overdue: waits && item.item.due_at <= now,
            due: Moment::new(item.item.due_at, now),
            version: item.content_version.get(),
            reason: item.item.blocked_reason,
        }
    }
}

impl CalendarPage {
    /// The view of these items.
    pub(crate) fn new(
        page: Page,
        now: UnixMillis,
        before: Option<PlayDate>,
        items: Vec<ItemSummary>,
    ) -> Self {
        Self {
            page,
            before: before.map(DateText::from),
            older: items.last().map(|item| item.play_date.into()),
            lines: items.into_iter().map(|item| Line::new(item, now)).collect(),
        }
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}
