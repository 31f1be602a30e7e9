//! `/answers` and `/answers/{id}`.
//!
//! A page has one address. An id with a leading zero or in percent-encoding, and a date
//! that is none, are addresses of nothing, not other spellings of something.

use axum::{
    extract::{RawQuery, Request, State},
    http::Uri,
    response::Response,
};
use fencepost_application::Address;
use fencepost_domain::{
    id::PuzzleId,
    time::{InvalidDate, PlayDate},
};
use url::form_urlencoded;

use super::{nowhere, page};
use crate::{config::App, fault::Fault};

/// The list, or a part of it.
pub(crate) async fn list(
    State(app): State<App>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Result<Response, Fault> {
    match before(query.as_deref()) {
        Ok(before) => page::serve(&app, Address::Answers { before }, request.headers()).await,
        Err(_) => nowhere::respond(&app, request.headers()).await,
    }
}

/// One answer, or what a reader may know of it.
pub(crate) async fn one(State(app): State<App>, request: Request) -> Result<Response, Fault> {
    match puzzle_id(request.uri()) {
        Some(puzzle_id) => page::serve(&app, Address::Answer(puzzle_id), request.headers()).await,
        None => nowhere::respond(&app, request.headers()).await,
    }
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
