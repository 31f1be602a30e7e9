//! `/answers` and `/answers/{id}`.
//!
//! A page has one address. An id with a leading zero or in percent-encoding, and a date
//! that is none, are addresses of nothing, not other spellings of something.

use axum::{
    extract::{RawQuery, State},
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use fencepost_application::AnswerPageView;
use fencepost_domain::{
    id::PuzzleId,
    revision::Revision,
    time::{InvalidDate, PlayDate, UnixMillis},
};
use url::form_urlencoded;

use super::nowhere;
use crate::{
    cache_headers::HtmlPage,
    config::App,
    fault::Fault,
    view::{AnswerPageText, AnswersView, Notice},
};

/// The list, or a part of it.
pub(crate) async fn list(
    State(app): State<App>,
    RawQuery(query): RawQuery,
    request: HeaderMap,
) -> Result<Response, Fault> {
    let Ok(before) = before(query.as_deref()) else { return nowhere::respond(&app, &request).await };
    let page = app.heed(app.site.answers(before).await?);
    let view = AnswersView::new(&app, before, page.content);
    let page = HtmlPage {
        status: StatusCode::OK,
        revision: page.revision,
        indexable: view.indexable(),
        html: view.html(),
        retry_after: None,
    };
    Ok(page.respond_to(&request))
}

/// One answer, or what a reader may know of it.
pub(crate) async fn one(State(app): State<App>, uri: Uri, request: HeaderMap) -> Result<Response, Fault> {
    let Some(puzzle_id) = puzzle_id(&uri) else { return nowhere::respond(&app, &request).await };
    let page = app.heed(app.site.answer(puzzle_id).await?);
    let (now, revision) = (page.now, page.revision);
    let page = match page.content {
        AnswerPageView::Unknown => nowhere::page(revision),
        AnswerPageView::NotYet { due_at, retry_at } => not_yet(puzzle_id, now, revision, due_at, retry_at),
        AnswerPageView::Withdrawn => HtmlPage {
            status: StatusCode::GONE,
            revision,
            html: Notice::withdrawn().html(),
            indexable: false,
            retry_after: None,
        },
        AnswerPageView::Public(answer) => {
            let view = AnswerPageText::new(&app, puzzle_id, *answer);
            HtmlPage {
                status: StatusCode::OK,
                revision,
                indexable: view.indexable(),
                html: view.html(),
                retry_after: None,
            }
        }
    };
    Ok(page.respond_to(&request))
}

fn not_yet(
    puzzle_id: PuzzleId,
    now: UnixMillis,
    revision: Revision,
    due_at: UnixMillis,
    retry_at: UnixMillis,
) -> HtmlPage {
    let notice =
        if due_at > now { Notice::not_yet(puzzle_id, due_at) } else { Notice::any_moment(puzzle_id) };
    HtmlPage {
        status: StatusCode::NOT_FOUND,
        revision,
        html: notice.html(),
        indexable: false,
        retry_after: Some(seconds_until(retry_at, now)),
    }
}

/// Whole seconds, rounded up so that asking again is never too early, and at least one.
fn seconds_until(later: UnixMillis, now: UnixMillis) -> i64 {
    let ms = later.since(now).max(1);
    ms / 1_000 + i64::from(ms % 1_000 != 0)
}

fn puzzle_id(uri: &Uri) -> Option<PuzzleId> {
    uri.path().strip_prefix("/answers/")?.parse().ok()
}

/// The date of `?before=`. Parameters that mean nothing here are nobody's business; two
/// dates are as good as none that can be read.
pub(crate) fn before(query: Option<&str>) -> Result<Option<PlayDate>, InvalidDate> {
    let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    let dates: Vec<_> = pairs.filter(|(name, _)| name == "before").map(|(_, date)| date).collect();
    if dates.is_empty() { Ok(None) } else { dates.join("&").parse().map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_is_told_to_wait_for_whole_seconds_rounded_up() {
        let check = |ms, seconds| assert_eq!(seconds_until(UnixMillis::new(ms), UnixMillis::new(0)), seconds);
        check(30_000, 30);
        check(30_001, 31);
        check(999, 1);
        check(1, 1);
        check(0, 1);
        check(-5_000, 1);
    }

    #[test]
    fn before_is_one_date_or_nothing() {
        let check = |query: Option<&str>, expected: Result<Option<&str>, ()>| {
            let got = before(query).map(|date| date.map(|date| date.to_string())).map_err(drop);
            assert_eq!(got, expected.map(|date| date.map(str::to_owned)), "{query:?}");
        };
        check(None, Ok(None));
        check(Some(""), Ok(None));
        check(Some("utm_source=x&page=2"), Ok(None));
        check(Some("before=2026-11-28"), Ok(Some("2026-11-28")));
        check(Some("x=1&before=2026-11-28&y"), Ok(Some("2026-11-28")));
        check(Some("before=2026%2D11%2D28"), Ok(Some("2026-11-28")));
        check(Some("before="), Err(()));
        check(Some("before"), Err(()));
        check(Some("before=junk"), Err(()));
        check(Some("before=2026-02-30"), Err(()));
        check(Some("before=2026-11-28&before=2026-11-27"), Err(()));
        check(Some("Before=2026-11-28"), Ok(None));
    }
}
