//! `/admin/bank`: an import, looked at before it is done.
//!
//! What was pasted, or sent as a file, is held against the bank, and comes back as what it would do, row by row,
//! with a button that does it. The rows that the button sends carry the versions that they
//! were held against: if somebody else has changed the bank in between, nothing is imported.

use axum::{extract::State, http::StatusCode, response::Response};
use fencepost_application::{ImportError, RawImport};
use fencepost_domain::puzzle::PuzzleRow;

use super::{Operator, fields::Sent};
use crate::{
    cache_headers::html,
    config::App,
    fault::Fault,
    spawner::run_to_the_end,
    view::dashboard::{BankPage, Page},
};

/// The form.
pub(crate) async fn show(State(app): State<App>, operator: Operator) -> Response {
    html(StatusCode::OK, BankPage::empty(Page::new(&app, &operator.session, "Bank")).html())
}

/// Holds what was sent against the bank. A file counts more than the text: after one that was
/// refused, its text stands in the field, and the file that follows is what is meant.
pub(crate) async fn check(State(app): State<App>, sent: Sent) -> Result<Response, Fault> {
    let text = sent.field("file").or_else(|| sent.field("puzzles")).unwrap_or_default();
    // Editors of some systems begin a file with a mark that JSON does not know.
    let text = text.trim_start_matches('\u{feff}');
    let page = Page::new(&app, &sent.operator.session, "Bank");
    match rows(text) {
        Ok(rows) => {
            let changes = app.site.preview_import(rows).await?;
            Ok(html(StatusCode::OK, BankPage::preview(page, changes).html()))
        }
        Err(error) => refused(page, text, error),
    }
}

/// Imports what was looked at.
pub(crate) async fn import(State(app): State<App>, sent: Sent) -> Result<Response, Fault> {
    let text = sent.field("puzzles").unwrap_or_default();
    let page = Page::new(&app, &sent.operator.session, "Bank");
    let rows = match rows(text) {
        Ok(rows) => rows,
        Err(error) => return refused(page, text, error),
    };
    let actor = match sent.actor_or_refuse(&app) {
        Ok(actor) => actor,
        Err(refusal) => return Ok(*refusal),
    };
    let site = app.site.clone();
    let import = async move { site.import_rows(&actor, rows).await };
    let imported = run_to_the_end(app.spawner.as_ref(), import).await;
    match imported {
        Ok(imported) => Ok(html(StatusCode::OK, BankPage::imported(page, &imported).html())),
        Err(error) => refused(page, text, error),
    }
}

fn rows(text: &str) -> Result<Vec<PuzzleRow>, ImportError> {
    let raw = RawImport::parse(text).map_err(|error| RawImport::unreadable(&error))?;
    raw.read(|| ())
}

fn refused(page: Page, text: &str, error: ImportError) -> Result<Response, Fault> {
    let status = match error {
        ImportError::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
        ImportError::Refused(_) => StatusCode::CONFLICT,
        ImportError::Store(error) => return Err(error.into()),
    };
    Ok(html(status, BankPage::refused(page, text.to_owned(), &error).html()))
}
