//! What happened, line by line, for people and for comparing two runs.

use std::fmt;

use crate::excerpt;

/// The lines of a history; nothing is spelled out where nobody reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History(Option<Vec<Line>>);

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Step and time.
    pub(crate) when: String,
    pub(crate) actor: String,
    pub(crate) what: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {}: {}", self.when, self.actor, self.what)
    }
}

impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines().iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl History {
    /// A history that is written down.
    pub(crate) fn kept() -> Self {
        Self(Some(Vec::new()))
    }

    /// A history that nobody reads.
    pub(crate) const fn forgotten() -> Self {
        Self(None)
    }

    pub(crate) fn note(
        &mut self,
        step: u64,
        now: i64,
        clock: i64,
        actor: &str,
        line: impl FnOnce() -> String,
    ) {
        let Some(lines) = &mut self.0 else { return };
        let ahead = clock - now;
        let skew = if ahead == 0 { String::new() } else { format!(" (the database's clock {ahead:+} ms)") };
        let when = format!("{step:>5}  {}{skew}", instant(now));
        lines.push(Line { when, actor: actor.to_owned(), what: line() });
    }

    fn lines(&self) -> &[Line] {
        self.0.as_deref().unwrap_or_default()
    }

    /// The lines that matter to the violation at the end, or all where there is none.
    pub fn excerpt(&self) -> Self {
        Self(Some(excerpt::excerpt(self.lines())))
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.lines().len()
    }

    /// Whether nothing happened, or nothing was written down.
    pub fn is_empty(&self) -> bool {
        self.lines().is_empty()
    }
}

/// Such as `day 20786 00:10:00.000`.
fn instant(ms: i64) -> String {
    let (day, rest) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    let (hours, minutes, seconds) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60);
    format!("day {day} {hours:02}:{minutes:02}:{seconds:02}.{:03}", rest % 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_step_time_clock_and_actor() {
        let mut history = History::kept();
        history.note(7, 20_786 * 86_400_000 + 600_000, 20_786 * 86_400_000 + 598_000, "#3 new-1", || {
            "FAULT photo: slow".to_owned()
        });
        let expected =
            "    7  day 20786 00:10:00.000 (the database's clock -2000 ms)  #3 new-1: FAULT photo: slow\n";
        assert_eq!(history.to_string(), expected);
    }
}
