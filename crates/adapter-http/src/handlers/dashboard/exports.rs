//! `/admin/export/{export}`: everything taken out again, as a file for somebody who is signed
//! in. What one answer does not hold is told of, and comes in parts: a browser that saves a
//! file shows nobody that it has a header which says so.

use axum::{
    extract::{RawQuery, State},
    http::{StatusCode, Uri},
    response::Response,
};
use fencepost_domain::export::Export;

use super::{Operator, nothing_for, segment};
use crate::{
    cache_headers::html,
    config::App,
    fault::Fault,
    handlers::export::{ROOM, Wanted, file},
    view::dashboard::{Page, PartPage},
};

/// The file, or the parts that it comes in.
pub(crate) async fn show(
    State(app): State<App>,
    operator: Operator,
    uri: Uri,
    RawQuery(query): RawQuery,
) -> Result<Response, Fault> {
    let (Ok(export), Ok(wanted)) = (segment(&uri, 3).parse::<Export>(), Wanted::read(query.as_deref()))
    else {
        return Ok(nothing_for(&app, &operator));
    };
    let part = app.site.export(export, wanted.format, wanted.after, ROOM).await?;
    match part.next {
        Some(last) if !wanted.is_part => {
            let page = Page::new(&app, &operator.session, "A part of the export");
            let this_part = format!("{}&part=yes", wanted.query_after(wanted.after));
            let next_part = wanted.query_after(last);
            let page = PartPage::new(page, export, (wanted.after, this_part), (last, next_part));
            Ok(html(StatusCode::OK, page.html()))
        }
        _ => Ok(file(&format!("/admin/export/{export}"), export, wanted, part)),
    }
}
