//! Importing puzzles: all rows or none.
//!
//! A file is taken apart row by row before anything is believed, so that a row with a
//! word where a number belongs is one complaint among others, and a keeper mends a file
//! once.

use std::collections::BTreeMap;

use fencepost_core::retry::TRIES;
use fencepost_domain::{
    action::Actor,
    id::{BankVersion, CommitToken, PuzzleId},
    puzzle::{Complaint, ImportFile, ImportRow, Puzzle, PuzzleRow, validate_import},
    sorting::sort_by_key,
};
use fencepost_ports::{BankEdit, ImportReadback, RefusedRow, StoreError, StoreErrorKind};

use serde::Deserialize;

use crate::Site;

/// An import whose rows are not looked at yet.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the list `puzzles`")]
pub struct RawImport {
    puzzles: Vec<serde_json::Value>,
}

impl RawImport {
    /// An import that came as a text: one document, or JSON Lines, of which each is a row, as
    /// an export writes them.
    ///
    /// # Errors
    /// A text that is neither.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let first_line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let is_row = serde_json::from_slice(first_line.as_bytes())
            .is_ok_and(|it: serde_json::Value| it.get("id").is_some());
        if is_row {
            let rows = serde_json::Deserializer::from_slice(text.as_bytes()).into_iter();
            return Ok(Self { puzzles: rows.collect::<Result<_, _>>()? });
        }
        serde_json::from_slice(text.as_bytes())
    }

    /// What is said of a text that is no import at all.
    pub fn unreadable(error: &serde_json::Error) -> ImportError {
        let message = format!("this is not the JSON of an import such as {{\"puzzles\": [ … ]}}: {error}");
        ImportError::Invalid(vec![Complaint { row: None, field: "", message }])
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.puzzles.len()
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.puzzles.is_empty()
    }

    /// The rows, validated as a whole; `on_row` is called after each.
    ///
    /// # Errors
    /// [`ImportError::Invalid`] with every complaint about every row, in their order.
    pub fn read(self, mut on_row: impl FnMut()) -> Result<Vec<PuzzleRow>, ImportError> {
        let mut malformed = Vec::new();
        let mut puzzles = Vec::with_capacity(self.puzzles.len());
        for (row, value) in self.puzzles.into_iter().enumerate() {
            // Every row keeps its number: in the place of a misshapen one stands an empty one.
            puzzles.push(read_row(value).unwrap_or_else(|(field, message)| {
                malformed.push(Complaint { row: Some(row), field, message });
                empty_row()
            }));
            on_row();
        }
        match validate_import(ImportFile { puzzles }) {
            Ok(rows) if malformed.is_empty() => Ok(rows),
            about_values => {
                let misshapen = |row| malformed.iter().any(|other: &Complaint| other.row == row);
                let mut all = about_values.err().unwrap_or_default();
                all.retain(|complaint| !misshapen(complaint.row));
                all.extend(malformed);
                sort_by_key(&mut all, |complaint| complaint.row);
                Err(ImportError::Invalid(all))
            }
        }
    }
}

/// A row that has the shape of one, or the field at fault and what is wrong with it.
fn read_row(value: serde_json::Value) -> Result<ImportRow, (&'static str, String)> {
    const FIELDS: [&str; 7] =
        ["id", "play_date", "name", "price_cents", "description", "image_url", "expected_version"];
    if !value.is_object() {
        return Err(("", "a puzzle is an object such as {\"id\": 1, \"play_date\": …}".to_owned()));
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let field = FIELDS.into_iter().find(|field| path == *field).unwrap_or_default();
        // The only type of the fields whose name is not a word for everybody.
        (field, error.into_inner().to_string().replace("i64", "a whole number"))
    })
}

fn empty_row() -> ImportRow {
    ImportRow {
        id: 0,
        play_date: String::new(),
        name: String::new(),
        price_cents: 0,
        description: String::new(),
        image_url: None,
        expected_version: None,
    }
}

/// Why nothing was imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Rows that cannot be, whatever the bank holds.
    #[error("nothing was imported: the import has {}", plural(.0.len(), "wrong field"))]
    Invalid(Vec<Complaint>),
    /// Rows that contradict what the bank holds.
    #[error("nothing was imported: {} at odds with the bank", plural(.0.len(), "row"))]
    Refused(Vec<RefusedRow>),
    /// The store misbehaved.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a row would do to the bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowChange {
    /// The bank does not have the puzzle.
    New,
    /// The puzzle is like this, and would change.
    Changed(Box<Puzzle>),
    /// The puzzle is as the row has it.
    Unchanged,
}

impl Site {
    /// What importing these rows would do to the bank as it is now, row by row. Each row
    /// comes back with the version that it was held against, so that importing the rows that
    /// come back does this or nothing. Nothing is written.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn preview_import(
        &self,
        rows: Vec<PuzzleRow>,
    ) -> Result<Vec<(PuzzleRow, RowChange)>, StoreError> {
        let ids: Vec<_> = rows.iter().map(|row| row.puzzle_id).collect();
        let stored = self.stores.bank.stored(&ids).await?;
        // One by one: made of all at once, a map sorts them first, by a sort of its own.
        let mut by_id = BTreeMap::new();
        by_id.extend(stored.into_iter().map(|puzzle| (puzzle.puzzle_id, puzzle)));
        let held_against = |row: PuzzleRow| match by_id.get(&row.puzzle_id) {
            None => {
                let expected_version = row.expected_version.or(Some(BankVersion::NONE));
                (PuzzleRow { expected_version, ..row }, RowChange::New)
            }
            Some(puzzle) => {
                let change = if row.equals(puzzle) {
                    RowChange::Unchanged
                } else {
                    RowChange::Changed(Box::new(puzzle.clone()))
                };
                let expected_version = row.expected_version.or(Some(puzzle.bank_version));
                (PuzzleRow { expected_version, ..row }, change)
            }
        };
        Ok(rows.into_iter().map(held_against).collect())
    }

    /// Imports a file, as a whole. Importing the same file again changes nothing.
    pub async fn import(&self, by: &Actor, file: ImportFile) -> Result<ImportReadback, ImportError> {
        self.import_rows(by, validate_import(file).map_err(ImportError::Invalid)?).await
    }

    /// Imports rows that were validated as a whole.
    pub async fn import_rows(&self, by: &Actor, rows: Vec<PuzzleRow>) -> Result<ImportReadback, ImportError> {
        self.write_rows(by, rows, None).await
    }

    /// Writes one puzzle that was validated: an import of one row, which is traced as what it
    /// is, with the puzzle.
    pub async fn edit_puzzle(&self, by: &Actor, row: PuzzleRow) -> Result<ImportReadback, ImportError> {
        let edits = Some(row.puzzle_id);
        self.write_rows(by, vec![row], edits).await
    }

    async fn write_rows(
        &self,
        by: &Actor,
        rows: Vec<PuzzleRow>,
        edits: Option<PuzzleId>,
    ) -> Result<ImportReadback, ImportError> {
        let mut unanswered: Vec<CommitToken> = Vec::new();
        let mut edit = BankEdit {
            token: self.tokens.commit_token(),
            rows,
            grace_ms: self.settings.grace_ms,
            by: by.clone(),
            edits,
        };
        let mut tried = 0;
        loop {
            tried += 1;
            let failure = match self.stores.bank.import(&edit).await {
                Ok(readback) if readback.refused.is_empty() => return Ok(readback),
                Ok(readback) => ImportError::Refused(readback.refused),
                Err(error) => {
                    if error.may_have_written() {
                        unanswered.push(edit.token.clone());
                    }
                    ImportError::Store(error)
                }
            };
            // An attempt without an answer may have landed, and be the very reason why this
            // one was refused.
            for token in &unanswered {
                let landed = self.persistently(|| self.stores.bank.trace_import(token)).await;
                let landed = landed.map_err(StoreError::in_doubt)?;
                if let Some(readback) = landed {
                    return Ok(readback);
                }
            }
            if tried == TRIES || !failure.may_pass() {
                return Err(match failure {
                    ImportError::Store(error) if !unanswered.is_empty() => error.in_doubt().into(),
                    failure => failure,
                });
            }
            self.patience().back_off(tried).await;
            edit.token = self.tokens.commit_token();
        }
    }
}

impl ImportError {
    fn may_pass(&self) -> bool {
        matches!(self, Self::Store(error) if error.may_have_written() || error.kind() == StoreErrorKind::Busy)
    }
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_is_one_document_or_a_row_a_line() {
        let rows = |text: &str| RawImport::parse(text).map(|raw| raw.len());
        let row = r#"{"id": 1, "play_date": "2026-11-28", "name": "A teapot", "price_cents": 1899}"#;
        assert_eq!(rows(&format!("{{\"puzzles\": [{row}, {row}]}}")).unwrap(), 2);
        assert_eq!(rows(&format!("{{\n\"puzzles\":\n[{row}]\n}}\n")).unwrap(), 1);
        assert_eq!(rows(row).unwrap(), 1);
        assert_eq!(rows(&format!("\n{row}\n\n  {row}\r\n{row}\n")).unwrap(), 3);
        for (text, place) in [
            ("", "line 1"),
            ("{}", "line 1"),
            ("[]", "line 1"),
            (row.trim_end_matches('}'), "line 1"),
            (&format!("{row}\n{row}\n{{\"id\": 3,"), "line 3"),
            (&format!("{row}\nnonsense\n"), "line 2"),
            (&format!("{{\"puzzles\": []}}\n{row}"), "line 2"),
        ] {
            let error = rows(text).unwrap_err().to_string();
            assert!(error.contains(place), "{text}: {error}");
        }
    }

    #[test]
    fn every_complaint_names_its_row_whatever_kind_of_fault_it_is() {
        let text = r#"{"puzzles": [
            {"id": 1, "play_date": "2026-11-28", "name": "A teapot", "price_cents": 1899},
            {"id": 2, "play_date": "2026-11-29", "name": "A lamp", "price_cents": "a lot"},
            {"id": 1, "play_date": "2026-11-30", "name": "A mug", "price_cents": 500},
            {"id": 3, "play_date": "2026-12-01", "price_cents": 500},
            {"id": 4, "play_date": "2026-12-02", "name": "A fan", "price_cents": 0, "image": "x"}
        ]}"#;
        let raw: RawImport = serde_json::from_str(text).unwrap();
        let ImportError::Invalid(complaints) = raw.read(|| ()).unwrap_err() else { panic!("another error") };
        let places: Vec<_> = complaints.iter().map(|complaint| (complaint.row, complaint.field)).collect();
        assert_eq!(places, [(Some(1), "price_cents"), (Some(2), "id"), (Some(3), ""), (Some(4), "")]);
        assert!(complaints[1].message.contains("row 0"), "{}", complaints[1].message);
        assert!(complaints[2].message.contains("`name`"), "{}", complaints[2].message);
    }
}
