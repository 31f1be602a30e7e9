//! An import, looked at before it is done.

use askama::Template;
use fencepost_application::{ImportError, RowChange};
use fencepost_domain::{
    export::Export,
    puzzle::{Complaint, ImportFile, ImportRow, Puzzle, PuzzleRow},
};
use fencepost_ports::{ImportReadback, RefusedRow, RowRefusal};

use super::Page;
use crate::view::{INFALLIBLE, PriceText};

/// What an import in the form of the API looks like.
const EXAMPLE: &str = r#"{"puzzles": [
  {
    "id": 1121,
    "play_date": "2026-11-28",
    "name": "A stovetop coffee pot",
    "price_cents": 3250,
    "description": "Aluminium, for six cups.",
    "image_url": "https://example.org/pot.webp"
  }
]}"#;

/// An import, before it is done, and after.
#[derive(Template)]
#[template(path = "dashboard/bank.html")]
pub(crate) struct BankPage {
    page: Page,
    example: &'static str,
    /// What stands in the field.
    text: String,
    complaints: Vec<String>,
    /// What would change, if that has been found out.
    preview: Option<Vec<ChangeLine>>,
    unchanged: usize,
    imported: Option<String>,
    exports: [(Export, &'static str); 4],
}

/// What a row would do.
struct ChangeLine {
    number: i64,
    name: String,
    what: String,
}

impl BankPage {
    /// The form.
    pub(crate) fn empty(page: Page) -> Self {
        Self {
            page,
            example: EXAMPLE,
            text: String::new(),
            complaints: Vec::new(),
            preview: None,
            unchanged: 0,
            imported: None,
            exports: Export::ALL.map(|export| (export, what(export))),
        }
    }

    /// What these rows would do.
    pub(crate) fn preview(page: Page, changes: Vec<(PuzzleRow, RowChange)>) -> Self {
        let unchanged = changes.iter().filter(|(_, change)| *change == RowChange::Unchanged).count();
        let lines = changes.iter().filter_map(|(row, change)| {
            let what = match change {
                RowChange::Unchanged => return None,
                RowChange::New => {
                    format!(
                        "is new: {}, {}",
                        row.play_date.long(),
                        PriceText::of_cents(row.price_cents).human
                    )
                }
                RowChange::Changed(puzzle) => differences(puzzle, row).join("; "),
            };
            Some(ChangeLine { number: row.puzzle_id.get(), name: row.name.clone(), what })
        });
        let lines = lines.collect();
        let puzzles = changes.into_iter().map(|(row, _)| as_imported(row)).collect();
        let text = serde_json::to_string_pretty(&ImportFile { puzzles });
        Self {
            text: text.expect("an import is plain data with text keys"),
            preview: Some(lines),
            unchanged,
            ..Self::empty(page)
        }
    }

    /// Why nothing was imported.
    pub(crate) fn refused(page: Page, text: String, error: &ImportError) -> Self {
        let complaints = match error {
            ImportError::Invalid(complaints) => complaints.iter().map(complaint).collect(),
            ImportError::Refused(rows) => rows.iter().map(refusal).collect(),
            ImportError::Store(error) => vec![error.to_string()],
        };
        Self { text, complaints, ..Self::empty(page) }
    }

    /// What was imported.
    pub(crate) fn imported(page: Page, readback: &ImportReadback) -> Self {
        let ImportReadback { inserted, updated, unchanged, .. } = readback;
        let text = format!("Imported: {inserted} new, {updated} changed, {unchanged} as they were.");
        Self { imported: Some(text), ..Self::empty(page) }
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}

/// What an export holds, for people.
const fn what(export: Export) -> &'static str {
    match export {
        Export::Bank => "The bank",
        Export::Ledger => "The ledger, with how each page stands",
        Export::Receipts => "The receipts of all changes of pages",
        Export::Actions => "What people did",
    }
}

fn as_imported(row: PuzzleRow) -> ImportRow {
    ImportRow {
        id: row.puzzle_id.get(),
        play_date: row.play_date.to_string(),
        name: row.name,
        price_cents: row.price_cents,
        description: row.description,
        image_url: row.image_url,
        expected_version: row.expected_version.map(fencepost_domain::id::BankVersion::get),
    }
}

/// What a row would make of a puzzle: what follows "it".
pub(super) fn differences(was: &Puzzle, row: &PuzzleRow) -> Vec<String> {
    let mut differences = Vec::new();
    if was.play_date != row.play_date {
        differences.push(format!(
            "is played on {} instead of {}",
            row.play_date.long(),
            was.play_date.long()
        ));
    }
    if was.name != row.name {
        differences.push(format!("is called {:?} instead of {:?}", row.name, was.name));
    }
    if was.price_cents != row.price_cents {
        let [new, old] = [row.price_cents, was.price_cents].map(|cents| PriceText::of_cents(cents).human);
        differences.push(format!("costs {new} instead of {old}"));
    }
    if was.description != row.description {
        differences.push("has another description".to_owned());
    }
    if was.image_url != row.image_url {
        differences.push("has another photo".to_owned());
    }
    differences
}

fn complaint(complaint: &Complaint) -> String {
    let place = match (complaint.row, complaint.field) {
        (None, _) => "The import".to_owned(),
        (Some(row), "") => format!("Row {}", row + 1),
        (Some(row), field) => format!("Row {}, {field}", row + 1),
    };
    format!("{place}: {}", complaint.message)
}

fn refusal(row: &RefusedRow) -> String {
    let why = match row.reason {
        RowRefusal::StaleVersion { stored: Some(version) } => {
            format!("somebody else has changed it: the bank has version {} now", version.get())
        }
        RowRefusal::StaleVersion { stored: None } => "the bank does not have it any more".to_owned(),
        RowRefusal::DateTaken { by } => format!("on that date, No. {by} is played"),
        RowRefusal::DateFixed => "its answer is out, so its date stays".to_owned(),
    };
    format!("No. {}: {why}", row.puzzle_id)
}
