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
    is_around_today: bool,
    lines: Vec<Line>,
    /// After which date the page before this one begins.
    later: Option<PlayDate>,
    /// Before which date the next page ends.
    earlier: Option<PlayDate>,
}

/// A stretch of the calendar, and where it goes on.
pub(crate) struct Stretch {
    /// Whether it is the one that is shown first.
    pub(crate) is_around_today: bool,
    /// Its items, newest date of play first.
    pub(crate) items: Vec<ItemSummary>,
    /// Whether there are later ones.
    pub(crate) later: Option<PlayDate>,
    /// Whether there are earlier ones.
    pub(crate) earlier: Option<PlayDate>,
}

struct Line {
    number: i64,
    date: DateText,
    is_today: bool,
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
            is_today: item.play_date.utc_day() == now.utc_day(),
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
    /// The view of a stretch.
    pub(crate) fn new(page: Page, now: UnixMillis, stretch: Stretch) -> Self {
        let Stretch { is_around_today, items, later, earlier } = stretch;
        let lines = items.into_iter().map(|item| Line::new(item, now)).collect();
        Self { page, is_around_today, lines, later, earlier }
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}
