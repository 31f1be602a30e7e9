//! `/admin/items/{id}/edit` and `/admin/items/new`: one puzzle of the bank.
//!
//! As with an import, what would change is looked at before it is done, and the button that
//! does it does just that: the form carries the version that it began with and the mark of
//! the row that was looked at. If somebody else has changed the puzzle since, or the fields
//! were changed after the look, it comes back with what was typed and is looked at again.
//!
//! Whether the bank has what was typed is asked before whether somebody was faster: the one
//! who was may have been oneself, by a button that was pressed twice.

use axum::{
    extract::State,
    http::{StatusCode, Uri},
    response::{IntoResponse, Redirect, Response},
};
use fencepost_application::{ActionError, ImportError, ItemExplanation};
use fencepost_domain::{
    id::{BankVersion, PuzzleId},
    puzzle::{Puzzle, PuzzleRow},
};
use fencepost_ports::{RefusedRow, RowRefusal, StoreError};

use super::{Operator, fields::Sent, nothing_for, segment};
use crate::{
    cache_headers::html,
    config::App,
    fault::Fault,
    puzzle_form::{FieldComplaint, PuzzleField, TypedPuzzle, fingerprint},
    spawner::run_to_the_end,
    view::dashboard::{Done, Editor, EditorState, Page},
};

/// The form, as the bank has the puzzle.
pub(crate) async fn edit(State(app): State<App>, operator: Operator, uri: Uri) -> Result<Response, Fault> {
    let Ok(puzzle_id) = segment(&uri, 3).parse::<PuzzleId>() else { return Ok(nothing_for(&app, &operator)) };
    let explained = explained(&app, puzzle_id).await?;
    let Some((seen, puzzle)) = explained.as_ref().and_then(|it| Some((it, it.puzzle.as_ref()?))) else {
        return Ok(nothing_for(&app, &operator));
    };
    let editor = Editor {
        page: page(&app, &operator, Some(puzzle_id)),
        puzzle_id: Some(puzzle_id),
        typed: TypedPuzzle::of(puzzle),
        reason: String::new(),
        expected: puzzle.bank_version,
        seen: Some(seen),
        state: EditorState::Fresh,
    };
    Ok(html(StatusCode::OK, editor.html()))
}

/// The form for a puzzle that the bank does not have, on the day after the last.
pub(crate) async fn new(State(app): State<App>, operator: Operator) -> Result<Response, Fault> {
    let items = app.site.items(None).await?;
    let last = items.first().map(|item| (item.puzzle_id, item.play_date));
    let editor = Editor {
        page: page(&app, &operator, None),
        puzzle_id: None,
        typed: TypedPuzzle::after(last),
        reason: String::new(),
        expected: BankVersion::NONE,
        seen: None,
        state: EditorState::Fresh,
    };
    Ok(html(StatusCode::OK, editor.html()))
}

fn page(app: &App, operator: &Operator, puzzle_id: Option<PuzzleId>) -> Page {
    let title = puzzle_id.map_or("New puzzle".to_owned(), |puzzle_id| format!("Edit No. {puzzle_id}"));
    Page::new(app, &operator.session, &title)
}

async fn explained(app: &App, puzzle_id: PuzzleId) -> Result<Option<ItemExplanation>, StoreError> {
    match app.site.item(puzzle_id).await {
        Ok(explained) => Ok(Some(explained)),
        Err(ActionError::UnknownPuzzle(_)) => Ok(None),
        Err(ActionError::Store(error)) => Err(error),
    }
}

/// Looks at what was typed, or saves what was looked at.
pub(crate) async fn send(State(app): State<App>, uri: Uri, sent: Sent) -> Result<Response, Fault> {
    let puzzle_id = match segment(&uri, 3) {
        "new" => None,
        id => match id.parse::<PuzzleId>() {
            Ok(puzzle_id) => Some(puzzle_id),
            Err(_) => return Ok(nothing_for(&app, &sent.operator)),
        },
    };
    let attempt = Attempt::read(&app, puzzle_id, &sent);
    let about = puzzle_id.or_else(|| attempt.typed.id.trim().parse().ok());
    let seen = match about {
        Some(about) => explained(&app, about).await?,
        None => None,
    };
    let stored = seen.as_ref().and_then(|seen| seen.puzzle.as_ref());
    if puzzle_id.is_some() && stored.is_none() {
        return Ok(nothing_for(&app, &sent.operator));
    }
    let row = match attempt.typed.row(attempt.expected, stored) {
        Ok(row) => row,
        Err(complaints) => return Ok(attempt.refused(StatusCode::UNPROCESSABLE_ENTITY, seen, complaints)),
    };
    if stored.is_some_and(|puzzle| row.equals(puzzle)) {
        return Ok(match sent.field("do") {
            Some("save") => saved(&row),
            _ => attempt.show(StatusCode::OK, seen.as_ref(), EditorState::Unchanged),
        });
    }
    if let Some(stale) = attempt.stale(&row, stored) {
        return Ok(attempt.show(StatusCode::CONFLICT, seen.as_ref(), stale));
    }
    let looked = EditorState::Looked { row: row.clone(), grace_ms: app.site.settings.grace_ms, again: false };
    match sent.field("do") {
        Some("save") if sent.field("looked").is_some_and(|looked| looked == fingerprint(&row)) => {
            save(&app, &sent, attempt, row, seen).await
        }
        Some("save") => Ok(attempt.show(StatusCode::CONFLICT, seen.as_ref(), looked.again())),
        _ => Ok(attempt.show(StatusCode::OK, seen.as_ref(), looked)),
    }
}

async fn save(
    app: &App,
    sent: &Sent,
    attempt: Attempt,
    row: PuzzleRow,
    seen: Option<ItemExplanation>,
) -> Result<Response, Fault> {
    let actor = match sent.actor() {
        Ok(actor) => actor,
        Err(error) => {
            let looked = EditorState::Looked { row, grace_ms: app.site.settings.grace_ms, again: false };
            let mut attempt = attempt;
            attempt.page = attempt.page.complaining(format!("Not saved: {error}."));
            return Ok(attempt.show(StatusCode::UNPROCESSABLE_ENTITY, seen.as_ref(), looked));
        }
    };
    let (site, written) = (app.site.clone(), row.clone());
    let edit = async move { site.edit_puzzle(&actor, written).await };
    let refused = match run_to_the_end(app.spawner.as_ref(), edit).await {
        Ok(_) => return Ok(saved(&row)),
        Err(ImportError::Store(error)) => return Err(error.into()),
        Err(ImportError::Invalid(complaints)) => {
            let complaints = complaints.into_iter().map(FieldComplaint::from).collect();
            return Ok(attempt.refused(StatusCode::UNPROCESSABLE_ENTITY, seen, complaints));
        }
        Err(ImportError::Refused(refused)) => refused,
    };
    // Somebody was faster, between the look at the bank and the write.
    let seen = explained(app, row.puzzle_id).await?;
    let stored = seen.as_ref().and_then(|seen| seen.puzzle.as_ref());
    if stored.is_some_and(|puzzle| row.equals(puzzle)) {
        return Ok(saved(&row));
    }
    match attempt.stale(&row, stored) {
        Some(stale) => Ok(attempt.show(StatusCode::CONFLICT, seen.as_ref(), stale)),
        None => {
            let complaints = refused.iter().map(about_date).collect();
            Ok(attempt.refused(StatusCode::CONFLICT, seen, complaints))
        }
    }
}

/// The item, where it is told that the bank has it now.
fn saved(row: &PuzzleRow) -> Response {
    Redirect::to(&format!("/admin/items/{}?{}", row.puzzle_id, Done::Saved.query())).into_response()
}

/// What the bank has against a date, which is all that it has against a row of the version
/// that it knows.
fn about_date(refused: &RefusedRow) -> FieldComplaint {
    let message = match refused.reason {
        RowRefusal::DateTaken { by } => format!("No. {by} is played on that date."),
        RowRefusal::DateFixed => "Its answer was out, so its date stays.".to_owned(),
        RowRefusal::StaleVersion { .. } => "Somebody else has changed it. Look at it again.".to_owned(),
    };
    FieldComplaint { field: PuzzleField::Date, message }
}

/// What somebody has sent.
struct Attempt {
    page: Page,
    puzzle_id: Option<PuzzleId>,
    typed: TypedPuzzle,
    reason: String,
    expected: BankVersion,
}

impl Attempt {
    fn read(app: &App, puzzle_id: Option<PuzzleId>, sent: &Sent) -> Self {
        let field = |name| sent.field(name).unwrap_or_default().to_owned();
        let version = |text: &str| text.parse().ok().filter(|version| *version >= 0);
        let expected = match puzzle_id {
            Some(_) => sent.field("expected_version").and_then(version).unwrap_or_default(),
            None => 0,
        };
        Self {
            page: page(app, &sent.operator, puzzle_id),
            puzzle_id,
            typed: TypedPuzzle {
                id: puzzle_id.map_or_else(|| field("id"), |puzzle_id| puzzle_id.to_string()),
                date: field("date"),
                name: field("name"),
                price: field("price"),
                description: field("description"),
                photo: field("photo"),
            },
            reason: field("reason"),
            expected: BankVersion::new(expected),
        }
    }

    /// What is said if the bank has another version than the form began with.
    fn stale(&self, row: &PuzzleRow, stored: Option<&Puzzle>) -> Option<EditorState> {
        let version = stored.map_or(BankVersion::NONE, |puzzle| puzzle.bank_version);
        if version == self.expected {
            return None;
        }
        if self.puzzle_id.is_some() {
            return Some(EditorState::Overtaken { row: row.clone() });
        }
        let message = format!("The bank has a No. {} already.", row.puzzle_id);
        Some(EditorState::Refused(vec![FieldComplaint { field: PuzzleField::Id, message }]))
    }

    fn refused(
        self,
        status: StatusCode,
        seen: Option<ItemExplanation>,
        complaints: Vec<FieldComplaint>,
    ) -> Response {
        self.show(status, seen.as_ref(), EditorState::Refused(complaints))
    }

    /// The form with what was typed. Whoever was overtaken, or typed what stands, goes on from
    /// the version that stands now, which they are shown.
    fn show(self, status: StatusCode, seen: Option<&ItemExplanation>, state: EditorState) -> Response {
        let stored = seen.and_then(|seen| seen.puzzle.as_ref()).map(|puzzle| puzzle.bank_version);
        let expected = match state {
            EditorState::Overtaken { .. } | EditorState::Unchanged => stored.unwrap_or(self.expected),
            _ => self.expected,
        };
        let Self { page, puzzle_id, typed, reason, .. } = self;
        html(status, Editor { page, puzzle_id, typed, reason, expected, seen, state }.html())
    }
}
