//! Prometheus' text format, version 0.0.4, as far as it is needed here.
//!
//! A client library keeps a registry of metrics that are updated as things happen. Here
//! nearly all of them are one row of the database, read when somebody asks, and the rest are
//! a few counters that the application has anyway. What is left is to write numbers between
//! names, in less code than a registry would take of the room that a Worker has.
//!
//! A family is told whole: its help, its type, and then all of its samples.

use std::fmt::{Display, Write};

/// What a family of samples is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// A number that goes up and down.
    Gauge,
    /// A number that only grows, and begins anew with the process.
    Counter,
    /// Counts by classes.
    Histogram,
}

/// A text in the making.
#[derive(Debug, Default)]
pub(crate) struct Exposition(String);

impl Exposition {
    /// The content type of the text.
    pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

    /// Begins a family, whose samples follow. `name` and the names of labels are the
    /// programmer's, so they are right as they stand.
    pub(crate) fn family(&mut self, name: &'static str, kind: Kind, help: &str) -> Family<'_> {
        let word = match kind {
            Kind::Gauge => "gauge",
            Kind::Counter => "counter",
            Kind::Histogram => "histogram",
        };
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        self.write(format_args!("# HELP {name} {help}\n# TYPE {name} {word}\n"));
        Family { text: self, name }
    }

    /// A family of one sample.
    pub(crate) fn gauge(&mut self, name: &'static str, help: &str, value: impl Display) {
        self.family(name, Kind::Gauge, help).sample(&[], value);
    }

    /// The text.
    pub(crate) fn finish(self) -> String {
        self.0
    }

    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        self.0.write_fmt(text).expect("a text grows as long as there is memory");
    }
}

/// The family that is being told.
#[derive(Debug)]
pub(crate) struct Family<'a> {
    text: &'a mut Exposition,
    name: &'static str,
}

impl Family<'_> {
    /// One sample, told apart from others by labels.
    pub(crate) fn sample(&mut self, labels: &[(&str, &str)], value: impl Display) {
        self.suffixed("", labels, value);
    }

    /// One sample of a family whose samples have several names, as a histogram's do.
    pub(crate) fn suffixed(&mut self, suffix: &str, labels: &[(&str, &str)], value: impl Display) {
        let name = self.name;
        self.text.write(format_args!("{name}{suffix}"));
        for (at, (label, text)) in labels.iter().enumerate() {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let before = if at == 0 { '{' } else { ',' };
            self.text.write(format_args!("{before}{label}=\"{text}\""));
        }
        let end = if labels.is_empty() { "" } else { "}" };
        self.text.write(format_args!("{end} {value}\n"));
    }
}

/// Milliseconds, written as seconds: exactly, since no float is in between.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seconds(pub(crate) i64);

impl Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (sign, ms) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        let (whole, rest) = (ms / 1_000, ms % 1_000);
        if rest == 0 { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{rest:03}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_told_whole_and_escaped() {
        let mut text = Exposition::default();
        text.gauge("up", "Whether it is.", 1);
        let mut family = text.family("x_total", Kind::Counter, "A \\ and\na line.");
        family.sample(&[("a", "say \"hi\""), ("b", "c:\\d\ne")], 7);
        family.sample(&[], 0);
        text.family("h", Kind::Histogram, "H.").suffixed("_bucket", &[("le", "+Inf")], Seconds(1_500));
        let expected = "\
# HELP up Whether it is.
# TYPE up gauge
up 1
# HELP x_total A \\\\ and\\na line.
# TYPE x_total counter
x_total{a=\"say \\\"hi\\\"\",b=\"c:\\\\d\\ne\"} 7
x_total 0
# HELP h H.
# TYPE h histogram
h_bucket{le=\"+Inf\"} 1.500
";
        assert_eq!(text.finish(), expected);
    }

    #[test]
    fn milliseconds_are_written_as_seconds() {
        for (ms, written) in [
            (0, "0"),
            (1, "0.001"),
            (999, "0.999"),
            (1_000, "1"),
            (61_050, "61.050"),
            (-5, "-0.005"),
            (-1_000, "-1"),
            (i64::MIN, "-9223372036854775.808"),
        ] {
            assert_eq!(Seconds(ms).to_string(), written);
        }
    }
}
