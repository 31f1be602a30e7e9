//! `/admin/items`: the ledger, as a calendar.
//!
//! A bank may be full for years. What is shown first is around today: a month ahead, and
//! what was before.

use axum::{
    extract::{RawQuery, State},
    http::StatusCode,
    response::Response,
};
use fencepost_domain::time::{DAY_MS, PlayDate, UnixMillis};
use fencepost_ports::StoreError;
use url::form_urlencoded;

use super::Operator;
use crate::{
    cache_headers::html,
    config::App,
    fault::Fault,
    view::dashboard::{CalendarPage, Page, Stretch},
};

/// How far ahead the calendar begins.
const AHEAD_MS: i64 = 31 * DAY_MS;

/// A page of the calendar.
pub(crate) async fn show(
    State(app): State<App>,
    operator: Operator,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    let stretch = stretch(&app, operator.now, query.as_deref()).await?;
    let page = Page::new(&app, &operator.session, "Calendar");
    Ok(html(StatusCode::OK, CalendarPage::new(page, operator.now, stretch).html()))
}

/// The stretch that a query asks for. A date that is none asks for the one around today.
async fn stretch(app: &App, now: UnixMillis, query: Option<&str>) -> Result<Stretch, StoreError> {
    let date = |name: &str| -> Option<PlayDate> {
        let mut pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        pairs.find(|(known, _)| known == name)?.1.parse().ok()
    };
    let (after, before) = (date("after"), date("before"));
    let is_around_today = after.is_none() && before.is_none();
    // Where a stretch has no items, it still has an end.
    let (items, newest, oldest) = match after {
        Some(after) => (app.site.later_items(after).await?, None, beside(after, DAY_MS)),
        None => {
            let before = before.or_else(|| PlayDate::from_utc_day(now.plus(AHEAD_MS).utc_day()).ok());
            (app.site.items(before).await?, before.and_then(|before| beside(before, -DAY_MS)), None)
        }
    };
    let newest = items.first().map(|item| item.play_date).or(newest);
    let oldest = items.last().map(|item| item.play_date).or(oldest);
    let later = match newest {
        Some(newest) => app.site.item_after(newest).await?.map(|_| newest),
        None => None,
    };
    let earlier = match oldest {
        Some(oldest) => app.site.item_before(oldest).await?.map(|_| oldest),
        None => None,
    };
    Ok(Stretch { is_around_today, items, later, earlier })
}

/// The date so far from another, if there is one.
fn beside(date: PlayDate, ms: i64) -> Option<PlayDate> {
    PlayDate::from_utc_day(date.utc_day().start().plus(ms).utc_day()).ok()
}
