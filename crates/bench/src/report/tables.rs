//! Tables, for a terminal and for the documentation.

use comfy_table::{CellAlignment, Table, presets};

use crate::{
    figures::{Figure, Part},
    goals::{Bound, Verdict},
};

/// The figures of a part. What there is more of, subjects or units, has a line each, and the
/// other one a column. Figures of further subjects tell how the first one stands beside them.
pub(super) fn of(part: &Part) -> Table {
    let subjects = distinct(part.rows.iter().map(|row| row.subject.as_str()));
    let units = distinct(part.rows.iter().map(|row| row.unit.as_str()));
    let cell = |case: &str, subject: &str, unit: &str| {
        let Some(figure) = part.find(case, subject, unit) else { return String::new() };
        let first = subjects.first().filter(|first| **first != subject);
        match first.and_then(|first| part.find(case, first, unit)) {
            Some(first) => format!("{} ({:.2})", spread(figure), first.value / figure.value),
            None => spread(figure),
        }
    };
    if subjects.len() < units.len() {
        let mut table = table(["subject"].into_iter().chain(units.iter().copied()));
        for (case, subject) in distinct(part.rows.iter().map(|row| (row.case.as_str(), row.subject.as_str())))
        {
            let cells = units.iter().map(|unit| cell(case, subject, unit));
            table.add_row([case.to_owned(), subject.to_owned()].into_iter().chain(cells));
        }
        return table;
    }
    let mut table = table(["unit"].into_iter().chain(subjects.iter().copied()));
    for (case, unit) in distinct(part.rows.iter().map(|row| (row.case.as_str(), row.unit.as_str()))) {
        let cells = subjects.iter().map(|subject| cell(case, subject, unit));
        table.add_row([case.to_owned(), unit.to_owned()].into_iter().chain(cells));
    }
    table
}

/// What came of the goals.
pub(super) fn of_goals(verdicts: &[Verdict]) -> Table {
    let mut table = table(["is", "has to be", ""]);
    for verdict in verdicts {
        let is = verdict.value.map_or_else(|| "not measured".to_owned(), number);
        let has_to_be = match verdict.bound {
            Bound::AtLeast(bound) => format!("at least {}", number(bound)),
            Bound::AtMost(bound) => format!("at most {}", number(bound)),
        };
        let word = match verdict.is_reached() {
            Some(true) => "reached",
            Some(false) => "MISSED",
            None => "",
        };
        table.add_row([verdict.what.clone(), is, has_to_be, word.to_owned()]);
    }
    table
}

fn table<'a>(columns: impl IntoIterator<Item = &'a str>) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header([""].into_iter().chain(columns));
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A figure and, if the rounds differ by more than a twentieth, between what they lie.
fn spread(figure: &Figure) -> String {
    let Figure { value, low, high, .. } = figure;
    if high - low <= value.abs() / 20.0 {
        return number(*value);
    }
    format!("{} [{}–{}]", number(*value), number(*low), number(*high))
}

/// A table as a page of the documentation has it.
pub(super) fn as_markdown(mut table: Table) -> String {
    table.load_preset(presets::ASCII_MARKDOWN);
    // Most of it would be padding, which no page shows.
    let lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n")
}

/// Three digits that count, and all of those before the point.
pub(crate) fn number(value: f64) -> String {
    let digits = match value.abs() {
        large if large >= 100.0 => 0,
        whole if whole.fract() == 0.0 => 0,
        middle if middle >= 10.0 => 1,
        small if small >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    let (sign, rest) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, fraction) = rest.split_once('.').unwrap_or((rest, ""));
    let mut grouped = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if !fraction.is_empty() {
        grouped = format!("{grouped}.{fraction}");
    }
    grouped
}

fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for one in all {
        if !seen.contains(&one) {
            seen.push(one);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Samples;

    #[test]
    fn what_there_is_more_of_has_lines_and_others_stand_beside_the_first() {
        let mut samples = Samples::default();
        samples.add("hit", "own", "requests/s", 50.0);
        samples.add("hit", "other", "requests/s", 100.0);
        let by_subject = as_markdown(of(&samples.into_part("part")));
        let lines: Vec<_> =
            by_subject.lines().map(|line| line.split_whitespace().collect::<String>()).collect();
        assert_eq!(lines[0], "||unit|own|other|");
        assert_eq!(lines[2], "|hit|requests/s|50|100(0.50)|");

        let mut samples = Samples::default();
        for (unit, value) in [("queries", 1.0), ("rows read", 5.0), ("ms", 2.5)] {
            samples.add("hit", "own", unit, value);
        }
        let by_unit = as_markdown(of(&samples.into_part("part")));
        let lines: Vec<_> = by_unit.lines().map(|line| line.split_whitespace().collect::<String>()).collect();
        assert_eq!(lines[0], "||subject|queries|rowsread|ms|");
        assert_eq!(lines[2], "|hit|own|1|5|2.50|");
    }

    #[test]
    fn numbers_have_three_digits_that_count() {
        for (value, text) in [
            (0.0, "0"),
            (5.0, "5"),
            (0.8512, "0.851"),
            (1.2345, "1.23"),
            (12.345, "12.3"),
            (123.45, "123"),
            (96_123.4, "96,123"),
            (1_234_567.0, "1,234,567"),
            (-1_234.0, "-1,234"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
