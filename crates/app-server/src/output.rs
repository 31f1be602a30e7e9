//! Reports on standard output: a table for people, JSON for machines.

use std::io::{self, ErrorKind, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Prints `text`, ending the line if it does not.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    write!(out, "{text}{end}").and_then(|()| out.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::unheard(),
        _ => Failure::fault(format!("cannot write to standard output: {error}; check where it leads")),
    })
}

/// Prints a report as JSON.
pub(crate) fn print_json(report: &impl Serialize) -> Result<(), Failure> {
    print(&serde_json::to_string_pretty(report).expect("reports have string keys and no odd values"))
}

/// Lines up cells; the first row is the head. The last column is as wide as it likes.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// `1 page`, `2 pages`.
pub(crate) fn plural(count: impl TryInto<i64>, noun: &str) -> String {
    match count.try_into().unwrap_or(i64::MAX) {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_lined_up_and_lines_have_no_tail() {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let text = table(&[row(&["puzzle", "outcome", ""]), row(&["7", "published", "fine"])]);
        assert_eq!(text, "puzzle  outcome\n7       published  fine\n");
    }
}
