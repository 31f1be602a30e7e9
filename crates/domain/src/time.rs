//! Dates of play. Instants and UTC days are those of [`fencepost_core::time`].

use std::{fmt, str::FromStr};

pub use fencepost_core::time::{DAY_MS, InvalidInstant, UnixMillis, UtcDay};
use serde::{Deserialize, Serialize};
use time::{Date, Month};

/// Day 0, by the count of days that the calendar has of its own.
const EPOCH: i32 = 2_440_588;

/// The calendar date on which a puzzle is played, written `YYYY-MM-DD`.
///
/// Only dates from 2000-01-01 to 2199-12-31 are accepted: a year outside of them
/// is a slip of the pen, and a slip would be scheduled for centuries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayDate(Date);

impl PlayDate {
    /// The date of a UTC day, where it lies within the accepted years.
    ///
    /// # Errors
    /// [`InvalidDate`] for a day outside of 2000 to 2199.
    pub fn from_utc_day(day: UtcDay) -> Result<Self, InvalidDate> {
        let refuse = || InvalidDate(format!("day {}", day.get()));
        let days = i32::try_from(day.get()).map_err(|_| refuse())?;
        let date = Date::from_julian_day(EPOCH.checked_add(days).ok_or_else(refuse)?);
        let date = date.map_err(|_| refuse())?;
        Self::within_accepted_years(date).ok_or_else(refuse)
    }

    /// The UTC day with this date.
    pub fn utc_day(self) -> UtcDay {
        UtcDay::new((self.0.to_julian_day() - EPOCH).into())
    }

    /// The date for people, such as `28 November 2026`.
    pub fn long(self) -> String {
        format!("{} {} {}", self.0.day(), self.0.month(), self.0.year())
    }

    fn within_accepted_years(date: Date) -> Option<Self> {
        (2000..=2199).contains(&date.year()).then_some(Self(date))
    }
}

impl fmt::Display for PlayDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.0.year(), u8::from(self.0.month()), self.0.day())
    }
}

impl FromStr for PlayDate {
    type Err = InvalidDate;

    fn from_str(text: &str) -> Result<Self, InvalidDate> {
        let refuse = || InvalidDate(text.to_owned());
        let shape = text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !shape {
            return Err(refuse());
        }
        let number = |digits: std::ops::Range<usize>| text[digits].parse::<u8>().map_err(|_| refuse());
        let year = text[..4].parse().map_err(|_| refuse())?;
        let month = Month::try_from(number(5..7)?).map_err(|_| refuse())?;
        let date = Date::from_calendar_date(year, month, number(8..10)?).map_err(|_| refuse())?;
        Self::within_accepted_years(date).ok_or_else(refuse)
    }
}

impl Serialize for PlayDate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PlayDate {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A text that is no date of play.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a date between 2000-01-01 and 2199-12-31 written YYYY-MM-DD")]
pub struct InvalidDate(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_and_its_day_convert_both_ways() {
        let first: PlayDate = "2000-01-01".parse().unwrap();
        let mut day = first.utc_day();
        while let Ok(date) = PlayDate::from_utc_day(day) {
            assert_eq!(date.utc_day(), day);
            assert_eq!(date.to_string().parse(), Ok(date));
            day = day.next();
        }
        assert_eq!(PlayDate::from_utc_day(UtcDay::new(day.get() - 1)).unwrap().to_string(), "2199-12-31");
    }

    #[test]
    fn people_read_a_date_in_words() {
        let long = |text: &str| text.parse().map(PlayDate::long);
        assert_eq!(long("2026-11-28").as_deref(), Ok("28 November 2026"));
        assert_eq!(long("2000-01-01").as_deref(), Ok("1 January 2000"));
    }

    #[test]
    fn impossible_dates_are_refused() {
        for text in [
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-11-31",
            "26-11-28",
            "2026-11-28T00:00",
            "2026/11/28",
            " 2026-11-28",
            "1999-12-31",
            "2200-01-01",
            "",
            "+2026-11-2",
            "2026-1-028",
        ] {
            assert!(text.parse::<PlayDate>().is_err(), "{text:?} was accepted");
        }
    }
}
