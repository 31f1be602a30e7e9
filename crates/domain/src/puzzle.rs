//! The bank: puzzles as their keeper imports them.
//!
//! An import is validated here as a whole, before any store is asked: every
//! complaint is collected, so that a keeper mends a file once and not row by row.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::{
    download,
    id::{BankVersion, InvalidPuzzleId, PuzzleId},
    time::{DAY_MS, PlayDate, UnixMillis},
};

/// The dearest price that is believed: one million, in cents.
pub const MAX_PRICE_CENTS: i64 = 100_000_000;
/// The longest name, in characters.
pub const MAX_NAME_CHARS: usize = 200;
/// The longest description, in bytes of Markdown.
pub const MAX_DESCRIPTION_BYTES: usize = 20_000;
/// The longest image address, in bytes.
pub const MAX_IMAGE_URL_BYTES: usize = 2_048;
/// The most rows that one import may carry.
pub const MAX_IMPORT_ROWS: usize = 20_000;

/// The longest grace window, in milliseconds: half a day.
pub const MAX_GRACE_MS: i64 = DAY_MS / 2;
/// The grace window unless configured otherwise, in milliseconds.
pub const DEFAULT_GRACE_MS: i64 = 600_000;
/// Nothing is playable for longer than this, so a search for open puzzles looks back no further.
pub const LONGEST_PLAY_MS: i64 = DAY_MS + MAX_GRACE_MS;

/// One puzzle of the bank, as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Puzzle {
    /// Its number.
    pub puzzle_id: PuzzleId,
    /// The UTC date on which it is the game of the day.
    pub play_date: PlayDate,
    /// From this instant on it is playable.
    pub opens_at: UnixMillis,
    /// From this instant on it is not playable any more (end of day and grace).
    pub playable_until: UnixMillis,
    /// What is to be guessed.
    pub name: String,
    /// The price, in cents.
    pub price_cents: i64,
    /// About the item, in Markdown.
    pub description: String,
    /// Where its photo comes from; `None` publishes without a photo, unindexed.
    pub image_url: Option<String>,
    /// Grows with every change of this row.
    pub bank_version: BankVersion,
}

impl Puzzle {
    /// Whether it is being played at `now`.
    pub fn is_open(&self, now: UnixMillis) -> bool {
        self.opens_at <= now && now < self.playable_until
    }
}

/// One row of an import that has passed validation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PuzzleRow {
    /// The puzzle's number.
    pub puzzle_id: PuzzleId,
    /// The UTC date of play.
    pub play_date: PlayDate,
    /// What is to be guessed.
    pub name: String,
    /// The price, in cents.
    pub price_cents: i64,
    /// About the item, in Markdown.
    pub description: String,
    /// Where its photo comes from.
    pub image_url: Option<String>,
    /// The bank version that the keeper believes to be changing; checked in the write.
    pub expected_version: Option<BankVersion>,
}

impl PuzzleRow {
    /// Whether importing this row would leave `puzzle` as it is.
    pub fn equals(&self, puzzle: &Puzzle) -> bool {
        self.puzzle_id == puzzle.puzzle_id
            && self.play_date == puzzle.play_date
            && self.name == puzzle.name
            && self.price_cents == puzzle.price_cents
            && self.description == puzzle.description
            && self.image_url == puzzle.image_url
    }
}

/// When a puzzle that is played on some date opens, closes and is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// 00:00 UTC of the date.
    pub opens_at: UnixMillis,
    /// 00:00 UTC of the following date, plus the grace window.
    pub playable_until: UnixMillis,
    /// The first instant at which the answer may be seen.
    pub due_at: UnixMillis,
}

impl Schedule {
    /// The schedule of `play_date` with a grace window of `grace_ms` milliseconds, at most
    /// [`MAX_GRACE_MS`].
    ///
    /// Computed once, at import, and stored: two deployments with different
    /// settings then cannot disagree about a puzzle.
    pub fn of(play_date: PlayDate, grace_ms: i64) -> Self {
        let day = play_date.utc_day();
        let grace_end = day.next().start().plus(grace_ms.clamp(0, MAX_GRACE_MS));
        Self { opens_at: day.start(), playable_until: grace_end, due_at: grace_end }
    }
}

/// An import as it arrives, before anything is believed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportFile {
    /// The rows.
    pub puzzles: Vec<ImportRow>,
}

/// One row of an import as it arrives.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportRow {
    /// The puzzle's number.
    pub id: i64,
    /// `YYYY-MM-DD`.
    pub play_date: String,
    /// What is to be guessed.
    pub name: String,
    /// The price, in cents.
    pub price_cents: i64,
    /// About the item, in Markdown.
    #[serde(default)]
    pub description: String,
    /// Where its photo comes from.
    #[serde(default)]
    pub image_url: Option<String>,
    /// The bank version that this row is meant to replace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<i64>,
}

impl From<Puzzle> for ImportRow {
    /// The row that would import a puzzle as it is, into a bank that has it or into another.
    fn from(puzzle: Puzzle) -> Self {
        Self {
            id: puzzle.puzzle_id.get(),
            play_date: puzzle.play_date.to_string(),
            name: puzzle.name,
            price_cents: puzzle.price_cents,
            description: puzzle.description,
            image_url: puzzle.image_url,
            expected_version: None,
        }
    }
}

/// One reason for refusing an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Complaint {
    /// The row, counted from 0; `None` when it concerns the whole file.
    pub row: Option<usize>,
    /// The field at fault.
    pub field: &'static str,
    /// What is wrong and what would be right.
    pub message: String,
}

/// Checks an import as a whole.
///
/// # Errors
/// Every complaint about every row. A file with one complaint imports nothing.
pub fn validate_import(file: ImportFile) -> Result<Vec<PuzzleRow>, Vec<Complaint>> {
    let mut complaints = Vec::new();
    if file.puzzles.is_empty() {
        complaints.push(about_file("the import has no puzzles"));
    }
    if file.puzzles.len() > MAX_IMPORT_ROWS {
        complaints.push(about_file(format!(
            "the import has {} puzzles; split it into files of at most {MAX_IMPORT_ROWS}",
            file.puzzles.len()
        )));
        return Err(complaints);
    }
    let mut rows = Vec::with_capacity(file.puzzles.len());
    let mut ids = HashMap::new();
    let mut dates = HashMap::new();
    for (at, raw) in file.puzzles.into_iter().enumerate() {
        match validate_row(at, raw) {
            Ok(row) => {
                if let Some(first) = ids.insert(row.puzzle_id, at) {
                    complaints.push(about_row(
                        at,
                        "id",
                        format!("puzzle {} is in row {first} already", row.puzzle_id),
                    ));
                }
                if let Some(first) = dates.insert(row.play_date, at) {
                    complaints.push(about_row(
                        at,
                        "play_date",
                        format!("{} is taken by row {first} already", row.play_date),
                    ));
                }
                rows.push(row);
            }
            Err(of_row) => complaints.extend(of_row),
        }
    }
    if complaints.is_empty() { Ok(rows) } else { Err(complaints) }
}

fn validate_row(at: usize, raw: ImportRow) -> Result<PuzzleRow, Vec<Complaint>> {
    let mut complaints = Vec::new();
    let mut complain = |field, message: String| complaints.push(about_row(at, field, message));

    let puzzle_id =
        PuzzleId::try_from(raw.id).map_err(|error: InvalidPuzzleId| complain("id", error.to_string()));
    let play_date =
        raw.play_date.parse::<PlayDate>().map_err(|error| complain("play_date", error.to_string()));
    let name = raw.name.trim().to_owned();
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS {
        complain("name", format!("a name has 1 to {MAX_NAME_CHARS} characters"));
    }
    if name.chars().any(char::is_control) {
        complain("name", "a name is one line without control characters".to_owned());
    }
    if !(1..=MAX_PRICE_CENTS).contains(&raw.price_cents) {
        complain(
            "price_cents",
            format!("{} is not a price: write whole cents from 1 to {MAX_PRICE_CENTS}", raw.price_cents),
        );
    }
    if raw.description.len() > MAX_DESCRIPTION_BYTES {
        complain("description", format!("a description has at most {MAX_DESCRIPTION_BYTES} bytes"));
    }
    if raw.description.contains('\0') {
        complain("description", "a description has no NUL characters".to_owned());
    }
    let image_url = raw
        .image_url
        .map(|text| canonical_image_url(&text).map_err(|message| complain("image_url", message)))
        .transpose();
    if raw.expected_version.is_some_and(|version| version < 0) {
        complain(
            "expected_version",
            "versions count from 1; 0 says that the bank must not have the puzzle yet".to_owned(),
        );
    }

    match (puzzle_id, play_date, image_url) {
        (Ok(puzzle_id), Ok(play_date), Ok(image_url)) if complaints.is_empty() => Ok(PuzzleRow {
            puzzle_id,
            play_date,
            name,
            price_cents: raw.price_cents,
            description: raw.description,
            image_url,
            expected_version: raw.expected_version.map(BankVersion::new),
        }),
        _ => Err(complaints),
    }
}

/// The one spelling of an image's address, or why it is none.
fn canonical_image_url(text: &str) -> Result<String, String> {
    let url = Url::parse(text)
        .map_err(|problem| format!("{text:?} is not an address: {}", download::complaint(problem)))?;
    if !matches!(url.scheme(), "https" | "http") {
        return Err(format!("an image comes over https or http, not {}", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an image's address carries no user name or password".to_owned());
    }
    let text = String::from(url);
    if text.len() > MAX_IMAGE_URL_BYTES {
        return Err(format!("an image's address has at most {MAX_IMAGE_URL_BYTES} bytes"));
    }
    Ok(text)
}

fn about_file(message: impl Into<String>) -> Complaint {
    Complaint { row: None, field: "puzzles", message: message.into() }
}

fn about_row(row: usize, field: &'static str, message: String) -> Complaint {
    Complaint { row: Some(row), field, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_beyond_ascii_is_refused_with_advice() {
        for text in ["https://bücher.example/a.jpg", "https://１２７.0.0.1/a.jpg"] {
            let problem = canonical_image_url(text).unwrap_err();
            assert!(problem.contains("xn--…"), "{problem}");
        }
        let path = canonical_image_url("https://example.org/bücher.jpg");
        assert_eq!(path.as_deref(), Ok("https://example.org/b%C3%BCcher.jpg"));
    }

    fn row(id: i64, date: &str) -> ImportRow {
        ImportRow {
            id,
            play_date: date.to_owned(),
            name: "A teapot".to_owned(),
            price_cents: 1899,
            description: String::new(),
            image_url: None,
            expected_version: None,
        }
    }

    fn check(change: impl FnOnce(&mut ImportRow), expected: Result<(), &str>) {
        let mut raw = row(1, "2026-11-28");
        change(&mut raw);
        match (validate_import(ImportFile { puzzles: vec![raw] }), expected) {
            (Ok(_), Ok(())) => {}
            (Err(complaints), Err(field)) => {
                assert_eq!(complaints.iter().map(|complaint| complaint.field).collect::<Vec<_>>(), [field]);
            }
            (got, expected) => panic!("expected {expected:?}, got {got:?}"),
        }
    }

    #[test]
    fn rows_are_refused_for_the_field_at_fault() {
        check(|_| (), Ok(()));
        check(|row| row.id = 0, Err("id"));
        check(|row| row.id = 1 << 53, Err("id"));
        check(|row| row.play_date = "2026-02-30".into(), Err("play_date"));
        check(|row| row.name = "   ".into(), Err("name"));
        check(|row| row.name = "é".repeat(200), Ok(()));
        check(|row| row.name = "x".repeat(201), Err("name"));
        check(|row| row.name = "two\nlines".into(), Err("name"));
        check(|row| row.price_cents = 0, Err("price_cents"));
        check(|row| row.price_cents = -5, Err("price_cents"));
        check(|row| row.price_cents = MAX_PRICE_CENTS, Ok(()));
        check(|row| row.price_cents = MAX_PRICE_CENTS + 1, Err("price_cents"));
        check(|row| row.description = "x".repeat(20_000), Ok(()));
        check(|row| row.description = "x".repeat(20_001), Err("description"));
        check(|row| row.description = "a\0b".into(), Err("description"));
        check(|row| row.image_url = Some("https://example.org/a.jpg".into()), Ok(()));
        check(|row| row.image_url = Some("ftp://example.org/a.jpg".into()), Err("image_url"));
        check(|row| row.image_url = Some("javascript:alert(1)".into()), Err("image_url"));
        for user in ["me:pw", "me", ":pw"] {
            check(|row| row.image_url = Some(format!("https://{user}@example.org/")), Err("image_url"));
        }
        let long = |bytes: usize| Some(format!("https://example.org/{}", "x".repeat(bytes - 20)));
        check(|row| row.image_url = long(2_048), Ok(()));
        check(|row| row.image_url = long(2_049), Err("image_url"));
        check(|row| row.image_url = Some("a.jpg".into()), Err("image_url"));
        check(|row| row.image_url = Some("https://xn--bcher-kva.example/a.jpg".into()), Ok(()));
        check(|row| row.image_url = Some("https://bücher.example/a.jpg".into()), Err("image_url"));
        check(|row| row.expected_version = Some(-1), Err("expected_version"));
        check(|row| row.expected_version = Some(0), Ok(()));
        check(|row| row.expected_version = Some(1), Ok(()));
    }

    #[test]
    fn one_bad_row_refuses_the_whole_import_and_every_complaint_is_told() {
        let mut bad = row(2, "2026-11-31");
        bad.price_cents = -1;
        let file = ImportFile { puzzles: vec![row(1, "2026-11-28"), bad, row(1, "2026-11-28")] };
        let complaints = validate_import(file).unwrap_err();
        let places: Vec<_> = complaints.iter().map(|complaint| (complaint.row, complaint.field)).collect();
        assert_eq!(
            places,
            [(Some(1), "play_date"), (Some(1), "price_cents"), (Some(2), "id"), (Some(2), "play_date")]
        );
    }

    #[test]
    fn an_import_has_at_least_one_row_and_at_most_twenty_thousand() {
        let first: PlayDate = "2000-01-01".parse().unwrap();
        let import = |rows: usize| {
            let dates = std::iter::successors(Some(first.utc_day()), |day| Some(day.next()));
            let dates = dates.map(|day| PlayDate::from_utc_day(day).unwrap().to_string());
            let puzzles = (1..).zip(dates).take(rows).map(|(id, date)| row(id, &date)).collect();
            validate_import(ImportFile { puzzles }).map(|rows| rows.len()).map_err(|complaints| {
                complaints.into_iter().map(|complaint| (complaint.row, complaint.field)).collect::<Vec<_>>()
            })
        };
        assert_eq!(import(0), Err(vec![(None, "puzzles")]));
        assert_eq!(import(1), Ok(1));
        assert_eq!(import(20_000), Ok(20_000));
        assert_eq!(import(20_001), Err(vec![(None, "puzzles")]));
    }

    #[test]
    fn a_row_equals_a_puzzle_with_the_same_words() {
        let [row] =
            validate_import(ImportFile { puzzles: vec![row(1, "2026-11-28")] }).unwrap().try_into().unwrap();
        let schedule = Schedule::of(row.play_date, 600_000);
        let puzzle = Puzzle {
            puzzle_id: row.puzzle_id,
            play_date: row.play_date,
            opens_at: schedule.opens_at,
            playable_until: schedule.playable_until,
            name: row.name.clone(),
            price_cents: row.price_cents,
            description: row.description.clone(),
            image_url: row.image_url.clone(),
            bank_version: BankVersion::FIRST,
        };
        assert!(row.equals(&puzzle));
        assert!(row.equals(&Puzzle { bank_version: BankVersion::new(7), ..puzzle.clone() }));
        let other = || "other".to_owned();
        for changed in [
            Puzzle { puzzle_id: PuzzleId::try_from(2).unwrap(), ..puzzle.clone() },
            Puzzle { play_date: "2026-11-29".parse().unwrap(), ..puzzle.clone() },
            Puzzle { name: other(), ..puzzle.clone() },
            Puzzle { price_cents: 1900, ..puzzle.clone() },
            Puzzle { description: other(), ..puzzle.clone() },
            Puzzle { image_url: Some("https://example.org/a.jpg".into()), ..puzzle.clone() },
        ] {
            assert!(!row.equals(&changed), "{changed:?}");
        }
        assert!(puzzle.is_open(schedule.opens_at) && !puzzle.is_open(schedule.opens_at.plus(-1)));
        assert!(!puzzle.is_open(schedule.playable_until));
    }

    #[test]
    fn the_answer_is_due_when_the_grace_window_ends() {
        let schedule = Schedule::of("2026-11-28".parse().unwrap(), 600_000);
        assert_eq!(schedule.opens_at.to_string(), "2026-11-28T00:00:00Z");
        assert_eq!(schedule.playable_until.to_string(), "2026-11-29T00:10:00Z");
        assert_eq!(schedule.due_at, schedule.playable_until);
    }

    #[test]
    fn a_grace_window_is_at_most_half_a_day_and_nothing_is_played_for_longer() {
        let grace = |ms| {
            let schedule = Schedule::of("2026-11-28".parse().unwrap(), ms);
            (schedule.playable_until.to_string(), schedule.playable_until.since(schedule.opens_at))
        };
        assert_eq!(grace(-1), ("2026-11-29T00:00:00Z".to_owned(), DAY_MS));
        let longest = ("2026-11-29T12:00:00Z".to_owned(), LONGEST_PLAY_MS);
        assert_eq!(grace(MAX_GRACE_MS), longest);
        assert_eq!(grace(MAX_GRACE_MS + 1), longest);
    }
}
