//! The form for one puzzle of the bank, and what is said of what was typed into it.

use askama::Template;
use fencepost_application::{ItemExplanation, render_markdown};
use fencepost_domain::{
    id::{BankVersion, PuzzleId},
    ledger::ItemState,
    puzzle::{Puzzle, PuzzleRow, Schedule},
    time::UnixMillis,
};

use super::{Moment, Page, bank::differences};
use crate::{
    puzzle_form::{FieldComplaint, PuzzleField, TypedPuzzle, fingerprint},
    view::{INFALLIBLE, InstantText, PriceText, prose},
};

/// How it stands with what was typed.
pub(crate) enum EditorState {
    /// Nobody has sent it.
    Fresh,
    /// It cannot be, or the bank has something against it.
    Refused(Vec<FieldComplaint>),
    /// The bank has it like this.
    Unchanged,
    /// Somebody else has changed the puzzle since.
    Overtaken {
        /// What was typed.
        row: PuzzleRow,
    },
    /// It would change something.
    Looked {
        /// What was typed.
        row: PuzzleRow,
        /// The grace window of a puzzle that gets a date, in milliseconds.
        grace_ms: i64,
        /// Whether it was to be saved, and is not what was looked at.
        again: bool,
    },
}

impl EditorState {
    /// The same, for somebody who wanted to save something else than they had looked at.
    pub(crate) fn again(self) -> Self {
        match self {
            Self::Looked { row, grace_ms, .. } => Self::Looked { row, grace_ms, again: true },
            other => other,
        }
    }
}

/// All that the form is made from.
pub(crate) struct Editor<'a> {
    pub(crate) page: Page,
    /// The puzzle of the bank; `None` for a new one.
    pub(crate) puzzle_id: Option<PuzzleId>,
    pub(crate) typed: TypedPuzzle,
    /// Why, as far as it was typed.
    pub(crate) reason: String,
    /// The version of the bank that it is to replace.
    pub(crate) expected: BankVersion,
    /// What is known of the puzzle now.
    pub(crate) seen: Option<&'a ItemExplanation>,
    pub(crate) state: EditorState,
}

impl Editor<'_> {
    /// The document.
    pub(crate) fn html(self) -> String {
        EditorPage::of(self).render().expect(INFALLIBLE)
    }
}

#[derive(Template)]
#[template(path = "dashboard/editor.html")]
struct EditorPage {
    page: Page,
    number: Option<i64>,
    fields: Vec<Field>,
    complaints: Vec<FieldComplaint>,
    expected: i64,
    is_unchanged: bool,
    overtaken: Option<Overtaken>,
    looked: Option<Looked>,
    reason: String,
    /// The description, as readers see it.
    description: String,
}

/// A field of the form.
struct Field {
    name: &'static str,
    label: &'static str,
    kind: &'static str,
    value: String,
    hint: &'static str,
    complaint: Option<String>,
    /// The first one that is wrong.
    is_first: bool,
    is_fixed: bool,
}

impl Field {
    fn is_text(&self) -> bool {
        self.name == PuzzleField::Description.name()
    }

    /// What is said about it, for whoever does not see that it stands beside it.
    fn described_by(&self) -> String {
        let wrong = self.complaint.as_ref().map(|_| format!("{}-wrong", self.name));
        let hint = (!self.hint.is_empty()).then(|| format!("{}-hint", self.name));
        wrong.into_iter().chain(hint).collect::<Vec<_>>().join(" ")
    }
}

/// What stands now beside what was typed.
struct Overtaken {
    version: i64,
    differences: Vec<Beside>,
}

struct Beside {
    label: &'static str,
    stands: String,
    typed: String,
}

/// What would change, and what happens then.
struct Looked {
    again: bool,
    changes: Vec<String>,
    consequences: Vec<String>,
    fingerprint: String,
}

impl EditorPage {
    fn of(editor: Editor<'_>) -> Self {
        let Editor { page, puzzle_id, typed, reason, expected, seen, state } = editor;
        let description = prose::on_page(&render_markdown(&typed.description));
        let date_is_fixed = puzzle_id.is_some() && seen.is_some_and(|seen| seen.page.is_some());
        let mut made = Self {
            page,
            number: puzzle_id.map(PuzzleId::get),
            fields: fields(typed, puzzle_id.is_some(), date_is_fixed),
            complaints: Vec::new(),
            expected: expected.get(),
            is_unchanged: false,
            overtaken: None,
            looked: None,
            reason,
            description,
        };
        let stored = seen.and_then(|seen| seen.puzzle.as_ref());
        match state {
            EditorState::Fresh => {}
            EditorState::Unchanged => made.is_unchanged = true,
            EditorState::Refused(complaints) => made.complain(complaints),
            EditorState::Overtaken { row } => {
                made.overtaken = stored.map(|puzzle| Overtaken {
                    version: puzzle.bank_version.get(),
                    differences: beside(puzzle, &row),
                });
            }
            EditorState::Looked { row, grace_ms, again } => {
                made.looked = Some(Looked {
                    again,
                    fingerprint: fingerprint(&row),
                    changes: stored.map(|puzzle| differences(puzzle, &row)).unwrap_or_default(),
                    consequences: consequences(seen, &row, grace_ms),
                });
            }
        }
        made
    }

    fn complain(&mut self, complaints: Vec<FieldComplaint>) {
        let first = complaints.first().map(|complaint| complaint.field.name());
        for field in &mut self.fields {
            let about = complaints.iter().find(|complaint| complaint.field.name() == field.name);
            field.complaint = about.map(|complaint| complaint.message.clone());
            field.is_first = first == Some(field.name);
        }
        self.complaints = complaints;
    }

    fn address(&self) -> String {
        self.number.map_or("/admin/items/new".to_owned(), |number| format!("/admin/items/{number}/edit"))
    }
}

fn fields(typed: TypedPuzzle, is_known: bool, date_is_fixed: bool) -> Vec<Field> {
    let field = |field: PuzzleField, label, kind, value, hint| Field {
        name: field.name(),
        label,
        kind,
        value,
        hint,
        complaint: None,
        is_first: false,
        is_fixed: field == PuzzleField::Date && date_is_fixed,
    };
    let date_hint = if date_is_fixed {
        "It has a page, so its date stays."
    } else {
        "A day in UTC, of one puzzle alone."
    };
    let mut fields = vec![
        field(PuzzleField::Id, "No.", "text", typed.id, "It is the address of the answer, and stays."),
        field(PuzzleField::Date, "Played on", "date", typed.date, date_hint),
        field(PuzzleField::Price, "Price, in dollars", "text", typed.price, "Such as 18.99."),
        field(PuzzleField::Name, "Name", "text", typed.name, ""),
        field(
            PuzzleField::Description,
            "Description",
            "",
            typed.description,
            "Markdown. Pictures are left out, and HTML is shown as text.",
        ),
        field(
            PuzzleField::Photo,
            "Address of the photo",
            "url",
            typed.photo,
            "Left empty, the answer comes out without a photo, and search engines are asked to leave it out.",
        ),
    ];
    if is_known {
        fields.remove(0);
    }
    fields
}

fn beside(stands: &Puzzle, typed: &PuzzleRow) -> Vec<Beside> {
    let price = |cents| PriceText::of_cents(cents).human;
    let photo = |url: &Option<String>| url.clone().unwrap_or_else(|| "none".to_owned());
    let lines = [
        ("Played on", stands.play_date.long(), typed.play_date.long()),
        ("Name", stands.name.clone(), typed.name.clone()),
        ("Price", price(stands.price_cents), price(typed.price_cents)),
        ("Description", stands.description.clone(), typed.description.clone()),
        ("Photo", photo(&stands.image_url), photo(&typed.image_url)),
    ];
    let differing = lines.into_iter().filter(|(_, stands, typed)| stands != typed);
    differing.map(|(label, stands, typed)| Beside { label, stands, typed }).collect()
}

/// What happens when it is saved, and what does not.
fn consequences(seen: Option<&ItemExplanation>, row: &PuzzleRow, grace_ms: i64) -> Vec<String> {
    let schedule = Schedule::of(row.play_date, grace_ms);
    let Some((seen, stands)) = seen.and_then(|seen| Some((seen, seen.puzzle.as_ref()?))) else {
        return vec![format!(
            "It is played on {}, and its answer is due at {}.",
            row.play_date.long(),
            InstantText::from(schedule.due_at).human
        )];
    };
    let mut told = Vec::new();
    let moves = stands.play_date != row.play_date;
    if stands.is_open(seen.now) {
        told.push(if moves {
            "It is being played, and is not any more then.".to_owned()
        } else if stands.price_cents != row.price_cents {
            "It is being played: from then on guesses are judged by the new price, also in games that have begun."
                .to_owned()
        } else {
            "It is being played, and players see the change at once.".to_owned()
        });
    }
    if moves {
        let due = InstantText::from(schedule.due_at).human;
        told.push(format!("Its answer is due at {due} then, unless somebody has postponed it further."));
    }
    let item = seen.item.as_ref();
    match item.map(|item| item.state) {
        Some(ItemState::Published) => told.push(
            "Its page stays as it is until it is brought up to the bank: the button for that is on the page of the item."
                .to_owned(),
        ),
        Some(ItemState::Withdrawn) => told.push("It is withdrawn, and stays so.".to_owned()),
        Some(ItemState::Blocked) => told.push("It was blocked, and the next run tries it again.".to_owned()),
        Some(ItemState::Scheduled | ItemState::Processing) if !moves => {
            told.extend(item.map(|item| comes_out(item.due_at, seen.now)));
        }
        _ => {}
    }
    told
}

fn comes_out(due_at: UnixMillis, now: UnixMillis) -> String {
    match due_at <= now {
        true => "Its answer is due and not out: the next run publishes it like this.".to_owned(),
        false => format!("Its answer comes out like this, {}.", Moment::new(due_at, now).away),
    }
}
