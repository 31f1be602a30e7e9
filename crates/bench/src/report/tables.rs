//! Tables for a terminal.

use comfy_table::{CellAlignment, Table, presets};

use crate::{
    figures::{Figure, Part},
    goals::{Bound, Verdict},
};

/// The figures of a part: a line for each case and unit, a column for each subject. The
/// others' columns tell how the first one stands beside them. If there is only one
/// subject, the columns are units.
pub(super) fn of(part: &Part) -> Table {
    let subjects = distinct(part.rows.iter().map(|row| row.subject.as_str()));
    match subjects.as_slice() {
        [subject] => by_unit(part, subject),
        _ => by_subject(part, &subjects),
    }
}

fn by_unit(part: &Part, subject: &str) -> Table {
    let units = distinct(part.rows.iter().map(|row| row.unit.as_str()));
    let mut table = table(units.iter().copied());
    for case in distinct(part.rows.iter().map(|row| row.case.as_str())) {
        let cells = units.iter().map(|unit| part.find(case, subject, unit).map_or(String::new(), spread));
        table.add_row([case.to_owned()].into_iter().chain(cells));
    }
    table
}

fn by_subject(part: &Part, subjects: &[&str]) -> Table {
    let mut table = table(["unit"].into_iter().chain(subjects.iter().copied()));
    let lines = part.rows.iter().map(|row| (row.case.as_str(), row.unit.as_str()));
    for (case, unit) in distinct(lines) {
        let first = subjects.first().and_then(|subject| part.find(case, subject, unit));
        let cells = subjects.iter().map(|subject| {
            let Some(figure) = part.find(case, subject, unit) else { return String::new() };
            match first {
                Some(first) if first.subject != figure.subject => {
                    format!("{} ({:.2})", spread(figure), first.value / figure.value)
                }
                _ => spread(figure),
            }
        });
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
