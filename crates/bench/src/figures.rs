//! What a measurement leaves behind.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;
use clap::Args;
use serde::{Deserialize, Serialize};

/// How long to measure, and where to put what came out.
#[derive(Args, Clone, Debug)]
pub(crate) struct Form {
    /// A quick look: fewer cases, one round, no figure to be relied upon
    #[arg(long)]
    pub(crate) short: bool,
    /// Where to write the figures
    #[arg(long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

impl Form {
    /// One number for the quick look, another for the measurement.
    pub(crate) fn choose<T>(&self, short: T, full: T) -> T {
        if self.short { short } else { full }
    }
}

/// One figure: the median over all rounds, and between what they lie.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Figure {
    /// What was done, such as `answer hit, 32 connections`.
    pub(crate) case: String,
    /// Who did it, such as `fencepost`.
    pub(crate) subject: String,
    /// What was counted, such as `requests/s`.
    pub(crate) unit: String,
    /// The median.
    pub(crate) value: f64,
    /// The lowest.
    pub(crate) low: f64,
    /// The highest.
    pub(crate) high: f64,
}

/// The figures of one part.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Part {
    /// Its name.
    pub(crate) part: String,
    /// Its figures, in the order in which they were first measured.
    pub(crate) rows: Vec<Figure>,
}

impl Part {
    /// Reads a part from a file.
    pub(crate) fn read(file: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} has no figures", file.display()))
    }

    /// Writes it to a file.
    pub(crate) fn write(&self, file: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        fs::write(file, text + "\n").with_context(|| format!("cannot write {}", file.display()))
    }

    /// The figure of a case, if it was measured.
    pub(crate) fn find(&self, case: &str, subject: &str, unit: &str) -> Option<&Figure> {
        self.rows.iter().find(|row| row.case == case && row.subject == subject && row.unit == unit)
    }
}

/// What the rounds gave, until there are enough of them.
#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<(Name, Vec<f64>)>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    case: String,
    subject: String,
    unit: &'static str,
}

impl Samples {
    /// Notes what one round gave.
    pub(crate) fn add(&mut self, case: &str, subject: &str, unit: &'static str, value: f64) {
        let name = Name { case: case.to_owned(), subject: subject.to_owned(), unit };
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(value),
            None => self.0.push((name, vec![value])),
        }
    }

    /// What the rounds have given so far.
    pub(crate) fn find(&self, case: &str, subject: &str, unit: &str) -> Option<&[f64]> {
        let is_it = |name: &Name| name.case == case && name.subject == subject && name.unit == unit;
        self.0.iter().find(|(name, _)| is_it(name)).map(|(_, values)| values.as_slice())
    }

    /// The figures.
    pub(crate) fn into_part(self, part: &str) -> Part {
        let rows = self.0.into_iter().map(|(Name { case, subject, unit }, mut values)| {
            values.sort_by(f64::total_cmp);
            let [low, high] = [values.first(), values.last()].map(|value| value.copied().unwrap_or(f64::NAN));
            let [value, low, high] = [median(&values), low, high].map(told);
            Figure { case, subject, unit: unit.to_owned(), value, low, high }
        });
        Part { part: part.to_owned(), rows: rows.collect() }
    }
}

/// A count among figures.
#[expect(clippy::cast_precision_loss, reason = "nothing here counts beyond what a float holds exactly")]
pub(crate) fn float(count: i64) -> f64 {
    count as f64
}

/// How many there were of something in each second.
pub(crate) fn per_second(count: i64, took: Duration) -> f64 {
    float(count) / took.as_secs_f64()
}

/// A figure as it is told: no measurement has more than six digits that mean something.
fn told(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// The middle of values in order, or halfway between the two that are nearest to it.
pub(crate) fn median(ordered: &[f64]) -> f64 {
    let middle = ordered.len() / 2;
    match ordered.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => ordered[middle],
        _ => f64::midpoint(ordered[middle - 1], ordered[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_counts_and_the_extremes_are_told() {
        let mut samples = Samples::default();
        for value in [30.0, 10.0, 20.0] {
            samples.add("hit", "a", "requests/s", value);
            samples.add("hit", "b", "requests/s", value * 2.0);
        }
        samples.add("hit", "b", "requests/s", 50.0);
        let part = samples.into_part("serving");
        let figure = |subject: &str, value, low, high| Figure {
            case: "hit".to_owned(),
            subject: subject.to_owned(),
            unit: "requests/s".to_owned(),
            value,
            low,
            high,
        };
        assert_eq!(part.rows, [figure("a", 20.0, 10.0, 30.0), figure("b", 45.0, 20.0, 60.0)]);
    }

    #[test]
    fn a_part_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("part.json");
        let mut samples = Samples::default();
        samples.add("hit", "a", "ms", 1.25);
        let part = samples.into_part("serving");
        part.write(&file).unwrap();
        assert_eq!(Part::read(&file).unwrap(), part);
        let error = Part::read(&folder.path().join("none.json")).unwrap_err().to_string();
        assert!(error.contains("none.json"), "{error}");
    }
}
