//! `import`: puzzles from a file or from standard input, all rows or none.

use std::{
    io::{self, Read},
    path::Path,
    process::ExitCode,
};

use fencepost_application::{ImportError, RawImport};
use fencepost_domain::{action::Actor, puzzle::Complaint};
use fencepost_ports::{ImportReadback, RefusedRow, RowRefusal};
use serde::Serialize;

use crate::{
    compose::{self, Composed},
    failure::Failure,
    options::CommonOptions,
    output::{plural, print, print_json},
    progress::Progress,
};

/// What an import looks like.
const SHAPE: &str = r#"{"puzzles": [{"id": 1, "play_date": "2026-11-28", "name": "A teapot", "price_cents": 1899, "description": "…"}]}"#;
/// How many complaints are told: whoever made the first hundred knows what to do.
const TOLD: usize = 100;

/// Imports puzzles.
pub(crate) async fn import(
    options: &CommonOptions,
    by: &Actor,
    file: &Path,
    json: bool,
) -> Result<ExitCode, Failure> {
    let progress = Progress::of_command(json);
    let text = read(file)?;
    let raw = RawImport::parse(&text).map_err(|error| {
        Failure::fault(format!(
            "nothing was imported: {} is not an import: {error}; write {SHAPE}, or such a puzzle in each line",
            shown(file)
        ))
    })?;
    let bar = progress.bar(u64::try_from(raw.len()).unwrap_or(u64::MAX), "reading rows");
    let rows = raw.read(|| bar.inc(1));
    bar.finish_and_clear();
    let rows = match rows {
        Ok(rows) => rows,
        Err(error) => return refuse_import(error, json),
    };
    // The database is created by an import that can succeed, and by no other.
    let Composed { site, store } = compose::open_database(options, &options.places(false)).await?;
    let writing = progress.spinner("writing");
    let outcome = site.import_rows(by, rows).await;
    writing.finish_and_clear();
    store.runner().close().await;
    match outcome {
        Ok(done) if json => print_json(&done).map(|()| ExitCode::SUCCESS),
        Ok(done) => print(&words(&done)).map(|()| ExitCode::SUCCESS),
        Err(error) => refuse_import(error, json),
    }
}

fn refuse_import(error: ImportError, json: bool) -> Result<ExitCode, Failure> {
    match error {
        ImportError::Invalid(complaints) => refuse(&complaints, json),
        ImportError::Refused(rows) => refuse_rows(&rows, json),
        ImportError::Store(error) => {
            Err(Failure::fault(format!("{error}; importing the same file again is safe")))
        }
    }
}

fn read(file: &Path) -> Result<String, Failure> {
    let outcome = if file == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(file)
    };
    let text = outcome.map_err(|error| {
        Failure::fault(format!("nothing was imported: cannot read {}: {error}; check the name", shown(file)))
    })?;
    // Some editors begin a file with a byte order mark, which is no part of its JSON.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

fn shown(file: &Path) -> String {
    if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() }
}

fn refuse(complaints: &[Complaint], json: bool) -> Result<ExitCode, Failure> {
    #[derive(Serialize)]
    struct Report<'a> {
        complaints: &'a [Complaint],
        more_complaints: usize,
    }
    let (told, untold) = first(complaints);
    if json {
        print_json(&Report { complaints: told, more_complaints: untold })?;
        return Ok(ExitCode::FAILURE);
    }
    for complaint in told {
        eprintln!("{}: {}", place(complaint), complaint.message);
    }
    tell_rest(untold);
    Err(Failure::fault(format!(
        "nothing was imported; mend {} and import the whole file again",
        plural(complaints.len(), "complaint")
    )))
}

/// What is told of a list, and how much is not.
fn first<T>(all: &[T]) -> (&[T], usize) {
    let told = &all[..all.len().min(TOLD)];
    (told, all.len() - told.len())
}

fn tell_rest(untold: usize) {
    if untold > 0 {
        eprintln!("… and {untold} more");
    }
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
        more_refused: usize,
    }
    let (told, untold) = first(rows);
    if json {
        print_json(&Report { refused: told, more_refused: untold })?;
        return Ok(ExitCode::FAILURE);
    }
    for row in told {
        eprintln!("puzzle {}: {}", row.puzzle_id, reason(row.reason));
    }
    tell_rest(untold);
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
