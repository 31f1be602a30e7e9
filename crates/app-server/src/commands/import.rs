//! `import`: puzzles from a file or from standard input, all rows or none.
//!
//! The file is taken apart row by row before anything is believed, so that a row with a
//! word where a number belongs is one complaint among others, and a keeper mends a file
//! once.

use std::{
    io::{self, IsTerminal, Read},
    path::Path,
    process::ExitCode,
    time::Duration,
};

use fencepost_application::ImportError;
use fencepost_domain::puzzle::{Complaint, ImportFile, ImportRow, validate_import};
use fencepost_ports::{ImportReadback, RefusedRow, RowRefusal};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};

use crate::{
    compose::{self, Composed},
    failure::Failure,
    options::CommonOptions,
    output::{plural, print, print_json},
};

/// Imports puzzles.
pub(crate) async fn import(options: &CommonOptions, file: &Path, json: bool) -> Result<ExitCode, Failure> {
    let progress = Progress { shown: !json && io::stderr().is_terminal() };
    let text = read(file)?;
    let rows: RawFile = serde_json::from_str(&text).map_err(|error| {
        Failure::fault(format!(
            "nothing was imported: {} is not an import: {error}; write {{\"puzzles\": […]}} as in the manual",
            shown(file)
        ))
    })?;
    let (import, malformed) = understand(rows, &progress);
    if let Some(complaints) = complaints(&import, malformed) {
        return refuse(&complaints, json);
    }
    // The database is created by an import that can succeed, and by no other.
    let Composed { site, store } = compose::open(options, &options.places(false)).await?;
    let writing = progress.spinner("writing");
    let outcome = site.import(import).await;
    writing.finish_and_clear();
    store.close().await;
    match outcome {
        Ok(done) if json => print_json(&done).map(|()| ExitCode::SUCCESS),
        Ok(done) => print(&words(&done)).map(|()| ExitCode::SUCCESS),
        Err(ImportError::Invalid(complaints)) => refuse(&complaints, json),
        Err(ImportError::Refused(rows)) => refuse_rows(&rows, json),
        Err(ImportError::Store(error)) => {
            Err(Failure::fault(format!("{error}; importing the same file again is safe")))
        }
    }
}

/// An import whose rows are not looked at yet.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    puzzles: Vec<serde_json::Value>,
}

fn read(file: &Path) -> Result<String, Failure> {
    let outcome = if file == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(file)
    };
    outcome.map_err(|error| {
        Failure::fault(format!("nothing was imported: cannot read {}: {error}; check the name", shown(file)))
    })
}

fn shown(file: &Path) -> String {
    if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() }
}

/// The rows that have the shape of one, and a complaint for each other. Every row keeps
/// its number: in the place of a misshapen one stands an empty one.
fn understand(file: RawFile, progress: &Progress) -> (ImportFile, Vec<Complaint>) {
    let bar = progress.bar(file.puzzles.len(), "reading rows");
    let mut malformed = Vec::new();
    let mut puzzles = Vec::with_capacity(file.puzzles.len());
    for (row, value) in file.puzzles.into_iter().enumerate() {
        puzzles.push(serde_json::from_value(value).unwrap_or_else(|error| {
            malformed.push(Complaint { row: Some(row), field: "", message: error.to_string() });
            empty_row()
        }));
        bar.inc(1);
    }
    bar.finish_and_clear();
    (ImportFile { puzzles }, malformed)
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

/// Every complaint about the file, in the order of its rows; `None` when there is none.
fn complaints(import: &ImportFile, malformed: Vec<Complaint>) -> Option<Vec<Complaint>> {
    let about_values = validate_import(import.clone()).err().unwrap_or_default();
    let of_its_own = |complaint: &Complaint| !malformed.iter().any(|other| other.row == complaint.row);
    let mut all: Vec<_> = about_values.into_iter().filter(of_its_own).collect();
    all.extend(malformed);
    all.sort_by_key(|complaint| complaint.row);
    (!all.is_empty()).then_some(all)
}

fn refuse(complaints: &[Complaint], json: bool) -> Result<ExitCode, Failure> {
    #[derive(Serialize)]
    struct Report<'a> {
        complaints: &'a [Complaint],
    }
    if json {
        print_json(&Report { complaints })?;
        return Ok(ExitCode::FAILURE);
    }
    for complaint in complaints {
        eprintln!("{}: {}", place(complaint), complaint.message);
    }
    Err(Failure::fault(format!(
        "nothing was imported; mend {} and import the whole file again",
        plural(complaints.len(), "complaint")
    )))
}

/// The row as the API counts it, from 0, and the field where one is at fault.
fn place(complaint: &Complaint) -> String {
    match (complaint.row, complaint.field) {
        (None, field) => field.to_owned(),
        (Some(row), "") => format!("row {row}"),
        (Some(row), field) => format!("row {row}, {field}"),
    }
}

fn refuse_rows(rows: &[RefusedRow], json: bool) -> Result<ExitCode, Failure> {
    #[derive(Serialize)]
    struct Report<'a> {
        refused: &'a [RefusedRow],
    }
    if json {
        print_json(&Report { refused: rows })?;
        return Ok(ExitCode::FAILURE);
    }
    for row in rows {
        eprintln!("puzzle {}: {}", row.puzzle_id, reason(row.reason));
    }
    Err(Failure::fault(format!(
        "nothing was imported; {} of the import contradicted the bank",
        plural(rows.len(), "row")
    )))
}

fn reason(refusal: RowRefusal) -> String {
    match refusal {
        RowRefusal::StaleVersion { stored: Some(stored) } => {
            format!("the bank has version {stored} of it by now; look at that one before replacing it")
        }
        RowRefusal::StaleVersion { stored: None } => {
            "the bank does not have it, so it has no version to replace; leave expected_version out"
                .to_owned()
        }
        RowRefusal::DateTaken { by } => format!("puzzle {by} is played on that date; choose another date"),
        RowRefusal::DateFixed => {
            "its answer has a page, so its date is fixed; import it with that date".to_owned()
        }
    }
}

fn words(done: &ImportReadback) -> String {
    format!("imported: {} new, {} changed, {} as they were", done.inserted, done.updated, done.unchanged)
}

/// Progress for whoever sits at a terminal.
struct Progress {
    shown: bool,
}

impl Progress {
    fn bar(&self, rows: usize, doing: &'static str) -> ProgressBar {
        if !self.shown {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{msg} {bar:40} {pos}/{len}")
            .expect("the template is constant and well formed");
        ProgressBar::new(u64::try_from(rows).unwrap_or(u64::MAX)).with_style(style).with_message(doing)
    }

    fn spinner(&self, doing: &'static str) -> ProgressBar {
        if !self.shown {
            return ProgressBar::hidden();
        }
        let spinner = ProgressBar::new_spinner().with_message(doing);
        spinner.enable_steady_tick(Duration::from_millis(100));
        spinner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_complaint_names_its_row_whatever_kind_of_fault_it_is() {
        let text = r#"{"puzzles": [
            {"id": 1, "play_date": "2026-11-28", "name": "A teapot", "price_cents": 1899},
            {"id": 2, "play_date": "2026-11-29", "name": "A lamp", "price_cents": "a lot"},
            {"id": 1, "play_date": "2026-11-30", "name": "A mug", "price_cents": 500},
            {"id": 3, "play_date": "2026-12-01", "price_cents": 500},
            {"id": 4, "play_date": "2026-12-02", "name": "A fan", "price_cents": 0, "image": "x"}
        ]}"#;
        let file: RawFile = serde_json::from_str(text).unwrap();
        let (import, malformed) = understand(file, &Progress { shown: false });
        let complaints = complaints(&import, malformed).unwrap();
        let places: Vec<_> = complaints.iter().map(place).collect();
        assert_eq!(places, ["row 1", "row 2, id", "row 3", "row 4"]);
        assert!(complaints[1].message.contains("row 0"), "{}", complaints[1].message);
        assert!(complaints[2].message.contains("`name`"), "{}", complaints[2].message);
    }
}
