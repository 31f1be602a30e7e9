//! One item: where it stands, why it is not out, and what can be done with it.

use askama::Template;
use fencepost_application::{Finding, ItemExplanation};
use fencepost_domain::{job::LoggedRun, ledger::ItemState, time::UnixMillis};
use fencepost_ports::ItemSummary;

use super::{
    Moment, Page,
    timeline::{By, Event, timeline},
};
use crate::{
    config::App,
    view::{DateText, INFALLIBLE, PriceText},
};

/// One item.
#[derive(Template)]
#[template(path = "dashboard/item.html")]
pub(crate) struct ItemPage {
    page: Page,
    number: i64,
    name: String,
    date: Option<DateText>,
    price: Option<PriceText>,
    bank_version: i64,
    state: &'static str,
    due: Option<Moment>,
    /// The due instant as a field for instants has it, and as it is expected to be.
    due_field: String,
    expected_due: i64,
    attempts: i64,
    next_attempt: Option<Moment>,
    lease: Option<(String, i64, Moment)>,
    page_version: i64,
    photo: String,
    guard: Vec<Finding>,
    events: Vec<Event>,
    earlier: Option<i64>,
    later: Option<i64>,
    /// Whether its page shows an older version of the bank.
    is_behind: bool,
    can: Can,
}

/// What can be done with an item as it stands.
#[derive(Clone, Copy, Debug, Default)]
struct Can {
    publish: bool,
    retry: bool,
    update: bool,
    withdraw: bool,
    reinstate: bool,
    reschedule: bool,
    preview: bool,
}

impl Can {
    const fn with(state: ItemState, is_due: bool, has_secret: bool) -> Self {
        let waits = matches!(state, ItemState::Scheduled | ItemState::Processing | ItemState::Blocked);
        Self {
            publish: waits && is_due,
            retry: matches!(state, ItemState::Blocked),
            update: matches!(state, ItemState::Published),
            withdraw: !matches!(state, ItemState::Withdrawn),
            reinstate: matches!(state, ItemState::Withdrawn),
            reschedule: waits,
            preview: has_secret,
        }
    }
}

/// What is shown beside an item: what wrote its receipts, and the items played before and
/// after it.
pub(crate) struct Beside {
    pub(crate) runs: Vec<LoggedRun>,
    pub(crate) earlier: Option<ItemSummary>,
    pub(crate) later: Option<ItemSummary>,
}

impl ItemPage {
    /// The view of this item.
    pub(crate) fn new(page: Page, app: &App, explained: ItemExplanation, beside: Beside) -> Self {
        let now = explained.now;
        let item = explained.item.as_ref();
        let puzzle = explained.puzzle.as_ref();
        let due_at = item.map(|item| item.due_at);
        let held = explained.lease.as_ref().filter(|lease| lease.live).map(|lease| &lease.row);
        Self {
            number: explained.puzzle_id.get(),
            name: puzzle.map(|puzzle| puzzle.name.clone()).unwrap_or_default(),
            date: puzzle.map(|puzzle| puzzle.play_date.into()),
            price: puzzle.map(|puzzle| PriceText::of_cents(puzzle.price_cents)),
            bank_version: puzzle.map_or(0, |puzzle| puzzle.bank_version.get()),
            state: item.map_or("unknown", |item| item.state.as_str()),
            due: due_at.map(|at| Moment::new(at, now)),
            due_field: due_at.map(|at| at.to_string().trim_end_matches('Z').to_owned()).unwrap_or_default(),
            expected_due: due_at.map_or(0, UnixMillis::get),
            attempts: item.map_or(0, |item| item.attempts),
            next_attempt: item
                .map(|item| item.next_attempt_at)
                .filter(|at| *at > now)
                .map(|at| Moment::new(at, now)),
            lease: held.map(|row| (row.owner.to_string(), row.fence.get(), Moment::new(row.expires_at, now))),
            page_version: explained.page.as_ref().map_or(0, |page| page.content_version.get()),
            photo: photo(&explained),
            is_behind: is_behind(&explained),
            can: item.map_or_else(Can::default, |item| {
                Can::with(item.state, item.due_at <= now, app.secret.is_some())
            }),
            guard: explained.guard,
            events: timeline(&explained.history, &beside.runs, &explained.actions, now),
            earlier: beside.earlier.map(|item| item.puzzle_id.get()),
            later: beside.later.map(|item| item.puzzle_id.get()),
            page,
        }
    }

    /// Whether nothing keeps the item from being published.
    fn is_free(&self) -> bool {
        self.guard.iter().all(|finding| finding.holds)
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}

/// A page that was taken back shows nothing, and nobody expects it to.
fn is_behind(explained: &ItemExplanation) -> bool {
    let shown = explained.page.as_ref().filter(|page| page.withdrawn_at.is_none());
    let stands = explained.puzzle.as_ref().map(|puzzle| puzzle.bank_version);
    shown.zip(stands).is_some_and(|(page, stands)| page.bank_version != stands)
}

fn photo(explained: &ItemExplanation) -> String {
    let wanted = explained.puzzle.as_ref().and_then(|puzzle| puzzle.image_url.as_ref());
    let image = explained.image.as_ref();
    let stored = wanted.is_some_and(|url| image.and_then(|image| image.ready_for(url)).is_some());
    match (wanted, image.and_then(|image| image.error.as_ref())) {
        (None, _) => "none is wanted".to_owned(),
        (Some(_), _) if stored => "is stored".to_owned(),
        (Some(_), Some(error)) => format!("could not be had: {error}"),
        (Some(_), None) => "is not fetched yet".to_owned(),
    }
}
