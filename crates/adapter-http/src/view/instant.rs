//! Instants and dates, for people and for machines.
//!
//! Everything is told in UTC and says so: the day of the game is a UTC day, and a page that
//! is the same for everybody cannot know where its reader is.

use fencepost_domain::time::{PlayDate, UnixMillis};

/// An instant, for the attribute and for the text of a `<time>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InstantText {
    /// RFC 3339.
    pub(crate) machine: String,
    /// Such as `00:10 UTC on 29 November 2026`.
    pub(crate) human: String,
}

impl From<UnixMillis> for InstantText {
    fn from(instant: UnixMillis) -> Self {
        Self { machine: instant.to_string(), human: spell(instant) }
    }
}

fn spell(instant: UnixMillis) -> String {
    let day = instant.utc_day();
    let Ok(date) = PlayDate::from_utc_day(day) else { return instant.to_string() };
    let seconds = instant.since(day.start()) / 1_000;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let date = date.long();
    match seconds {
        0 => format!("{hours:02}:{minutes:02} UTC on {date}"),
        _ => format!("{hours:02}:{minutes:02}:{seconds:02} UTC on {date}"),
    }
}

/// A date of play, for the attribute and for the text of a `<time>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DateText {
    /// `YYYY-MM-DD`.
    pub(crate) machine: String,
    /// Such as `28 November 2026`.
    pub(crate) human: String,
}

impl From<PlayDate> for DateText {
    fn from(date: PlayDate) -> Self {
        Self { machine: date.to_string(), human: date.long() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(machine: &str, human: &str) {
        let instant: UnixMillis = machine.parse().unwrap();
        assert_eq!(InstantText::from(instant).human, human);
        assert_eq!(InstantText::from(instant).machine, machine);
    }

    #[test]
    fn instants_are_told_in_utc_to_the_minute_or_to_the_second() {
        check("2026-11-29T00:10:00Z", "00:10 UTC on 29 November 2026");
        check("2026-11-29T23:59:59Z", "23:59:59 UTC on 29 November 2026");
        check("2024-02-29T12:05:30Z", "12:05:30 UTC on 29 February 2024");
        check("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z");
    }
}
