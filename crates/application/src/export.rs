//! Taking everything out of a site: the bank, the ledger, the receipts, and what people did.
//!
//! An export is made page by page, and nobody ever holds more than a page of it, or an
//! answer's worth. There are two formats.
//!
//! *JSON Lines* is for programs, and loses nothing: an object a line. That of the bank is what
//! an import takes.
//!
//! *CSV* is for people with a spreadsheet: by RFC 4180, in UTF-8, with a header in its first
//! line. A spreadsheet takes a text that begins with `=`, and with a few other characters, for
//! a formula, and runs it on the machine of whoever opens the file; and names of puzzles,
//! reasons of operators and messages of errors are texts that somebody else wrote. So such a
//! text gets an apostrophe in front, which a spreadsheet takes for the sign that what follows
//! is text. For that, CSV is not what an import takes.

use fencepost_domain::{
    action::LoggedAction,
    commit::Receipt,
    export::{Export, LedgerRow},
    id::PuzzleId,
    puzzle::{ImportRow, Puzzle},
    revision::Revision,
};
use fencepost_ports::StoreError;
use serde::Serialize;
use serde_json::Value;

use crate::Site;

/// How many rows are read at once.
const PAGE: u32 = 200;

/// How an export is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// An object a line.
    JsonLines,
    /// A table with a header.
    Csv,
}

/// A part of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportPart {
    /// The lines, each with its end.
    pub text: String,
    /// How many rows are in it.
    pub rows: usize,
    /// The key of its last row, if there may be rows behind it.
    pub next: Option<i64>,
}

impl Site {
    /// One page of an export: the rows behind the key `after`, without a header.
    ///
    /// # Errors
    /// A store that cannot be read. A row that cannot be is an error as well, and not left
    /// out: an export is complete.
    pub async fn export_page(
        &self,
        export: Export,
        format: ExportFormat,
        after: i64,
    ) -> Result<ExportPart, StoreError> {
        self.persistently(|| Box::pin(self.read_page(export, format, after))).await
    }

    /// As much of an export as fits into one answer: with a header, in so many bytes and a
    /// page, and within the budget of the invocation.
    ///
    /// # Errors
    /// As [`Self::export_page`].
    pub async fn export(
        &self,
        export: Export,
        format: ExportFormat,
        after: i64,
        room: usize,
    ) -> Result<ExportPart, StoreError> {
        let mut part = ExportPart { text: export_header(export, format), rows: 0, next: Some(after) };
        while let Some(after) = part.next {
            // The first page is asked for in any case: that it is refused has to be said.
            if part.rows > 0 && (part.text.len() > room || !self.budget.affords(1)) {
                break;
            }
            let page = self.export_page(export, format, after).await?;
            part.text.push_str(&page.text);
            part.rows += page.rows;
            part.next = page.next;
        }
        Ok(part)
    }

    async fn read_page(
        &self,
        export: Export,
        format: ExportFormat,
        after: i64,
    ) -> Result<ExportPart, StoreError> {
        let exports = &self.stores.exports;
        // Behind what is no number of a puzzle lie all of them.
        let puzzle = PuzzleId::try_from(after).ok();
        let write = Writer { export, format };
        Ok(match export {
            Export::Bank => {
                let key = |puzzle: &Puzzle| puzzle.puzzle_id.get();
                write.page(exports.bank(puzzle, PAGE).await?, key, ImportRow::from)
            }
            Export::Ledger => {
                let key = |row: &LedgerRow| row.puzzle_id.get();
                write.page(exports.ledger(puzzle, PAGE).await?, key, |row| row)
            }
            Export::Receipts => {
                let key = |receipt: &Receipt| receipt.revision.get();
                write.page(exports.receipts(Revision::new(after), PAGE).await?, key, |receipt| receipt)
            }
            Export::Actions => {
                let key = |action: &LoggedAction| action.number;
                write.page(exports.actions(after, PAGE).await?, key, |action| action)
            }
        })
    }
}

/// Writes the rows of an export.
#[derive(Clone, Copy)]
struct Writer {
    export: Export,
    format: ExportFormat,
}

impl Writer {
    fn page<T, R: Serialize>(
        self,
        rows: Vec<T>,
        key: impl Fn(&T) -> i64,
        told: impl Fn(T) -> R,
    ) -> ExportPart {
        let (count, last) = (rows.len(), rows.last().map(key));
        let rows = rows.into_iter().map(told);
        let text = match self.format {
            ExportFormat::JsonLines => rows.map(|row| json_line(&row)).collect(),
            ExportFormat::Csv => {
                let object = |row| serde_json::to_value(row).expect(PLAIN);
                csv_lines(rows.map(|row| cells(self.export, &object(row)).collect::<Vec<_>>()))
            }
        };
        ExportPart { text, rows: count, next: last.filter(|_| count == PAGE as usize) }
    }
}

/// Why a row can be written.
const PLAIN: &str = "rows are plain data with text keys";

fn json_line(row: &impl Serialize) -> String {
    let mut line = serde_json::to_string(row).expect(PLAIN);
    line.push('\n');
    line
}

/// What stands before the rows.
pub fn export_header(export: Export, format: ExportFormat) -> String {
    match format {
        ExportFormat::JsonLines => String::new(),
        ExportFormat::Csv => csv_lines([columns(export).iter().map(|name| (*name).to_owned())]),
    }
}

/// The columns of a table. They are called as the fields of the objects are.
const fn columns(export: Export) -> &'static [&'static str] {
    match export {
        Export::Bank => &["id", "play_date", "name", "price_cents", "description", "image_url"],
        Export::Ledger => &[
            "puzzle_id",
            "play_date",
            "state",
            "due_at",
            "attempts",
            "next_attempt_at",
            "blocked_reason",
            "bank_version",
            "content_version",
            "page_bank_version",
            "indexable",
            "image_key",
            "published_at",
            "updated_at",
            "withdrawn_at",
        ],
        Export::Receipts => &[
            "revision",
            "commit_token",
            "puzzle_id",
            "kind",
            "content_version",
            "owner_id",
            "fence",
            "committed_at",
        ],
        Export::Actions => &["number", "token", "at", "actor", "action", "puzzle_id", "reason", "detail"],
    }
}

fn cells(export: Export, row: &Value) -> impl Iterator<Item = String> {
    columns(export).iter().map(|column| match &row[*column] {
        Value::Null => String::new(),
        Value::String(text) => harmless(text),
        other => serde_json::to_string(other).expect(PLAIN),
    })
}

/// A text that no spreadsheet takes for a formula. What they take for one begins with one of
/// these characters, in either width, or with white space that some of them leave out.
fn harmless(text: &str) -> String {
    let begins_formula = |text: &str| text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    if begins_formula(text.trim_start()) || text.starts_with(['\t', '\r', '\n']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

/// The rows as RFC 4180 has them, quoted where they have to be. It takes fewer lines than the
/// library that reads them again in the tests, whose writer knows of quoting all that is no
/// number: so it reads numbers, with tables that would be a fiftieth of the Worker.
fn csv_lines<R: IntoIterator<Item = String>>(rows: impl IntoIterator<Item = R>) -> String {
    let mut text = String::new();
    for row in rows {
        let start = text.len();
        for (place, cell) in row.into_iter().enumerate() {
            if place > 0 {
                text.push(',');
            }
            if cell.contains([',', '"', '\r', '\n']) {
                text.push('"');
                text.push_str(&cell.replace('"', "\"\""));
                text.push('"');
            } else {
                text.push_str(&cell);
            }
        }
        if text.len() == start {
            // A lone empty cell, and not an empty line.
            text.push_str("\"\"");
        }
        text.push_str("\r\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(cells: &[&str]) -> String {
        csv_lines([cells.iter().map(|cell| (*cell).to_owned())])
    }

    #[test]
    fn a_table_is_quoted_where_it_has_to_be() {
        assert_eq!(csv(&["a", "b c", ""]), "a,b c,\r\n");
        assert_eq!(csv(&["a,b", "c"]), "\"a,b\",c\r\n");
        assert_eq!(
            csv(&["say \"ah\"", "two\nlines", "two\r\nlines", "cr\r"]),
            "\"say \"\"ah\"\"\",\"two\nlines\",\"two\r\nlines\",\"cr\r\"\r\n"
        );
        assert_eq!(csv(&[""]), "\"\"\r\n", "a lone empty cell is not an empty line");
        assert_eq!(csv(&["žluťoučký 茶壺 🫖"]), "žluťoučký 茶壺 🫖\r\n");
    }

    #[test]
    fn whatever_is_written_is_read_again_as_it_was() {
        let hostile =
            ["\"", "\"\"", ",", "\r\n", "\n", "a\"b,c\r\nd", " ", "'", "\u{feff}", "\u{0}", ";", "\t"];
        let text = csv_lines([(); 3].map(|()| hostile.iter().map(|cell| (*cell).to_owned())));
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let rows: Vec<_> = reader.records().collect::<Result<_, _>>().unwrap();
        assert_eq!(rows.len(), 3);
        for row in rows {
            assert_eq!(row.iter().collect::<Vec<_>>(), hostile);
        }
    }

    #[test]
    fn no_text_is_a_formula() {
        for (text, safe) in [
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("  =1", "'  =1"),
            ("\u{a0}=1", "'\u{a0}=1"),
            ("\t=1", "'\t=1"),
            ("\ranything", "'\ranything"),
            ("\nanything", "'\nanything"),
            ("＝1", "'＝1"),
            ("a=1", "a=1"),
            ("1-2", "1-2"),
            ("'=1", "'=1"),
            ("", ""),
        ] {
            assert_eq!(harmless(text), safe, "{text:?}");
        }
    }

    #[test]
    fn a_number_below_zero_is_a_number_and_no_formula() {
        let row = serde_json::json!({ "revision": -1, "kind": "=x", "fence": null });
        let written: Vec<_> = cells(Export::Receipts, &row).collect();
        assert_eq!(written, ["-1", "", "", "'=x", "", "", "", ""]);
    }
}
