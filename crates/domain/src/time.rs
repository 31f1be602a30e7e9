//! Instants and UTC days.
//!
//! Every instant is an integer count of milliseconds since the Unix epoch, and a
//! UTC day is that count divided by the length of a day, rounded down. In Rust this is
//! the one place where the division happens; the plans divide the same integers where a
//! statement needs the day of an instant that only the database knows. Text dates exist
//! only where people read or write them: comparing them as text, or computing them in
//! local time, is how schedulers publish a day early west of Greenwich.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use time::{Date, Month, OffsetDateTime, format_description::well_known::Rfc3339};

/// Day 0, by the count of days that the calendar has of its own.
const EPOCH: i32 = 2_440_588;

/// Nanoseconds in a millisecond.
const NANOS_PER_MS: i128 = 1_000_000;

/// Milliseconds in one UTC day. Unix time has no leap seconds.
pub const DAY_MS: i64 = 86_400_000;

/// An instant: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixMillis(i64);

impl UnixMillis {
    /// The instant that lies `ms` milliseconds after the epoch.
    pub const fn new(ms: i64) -> Self {
        Self(ms)
    }

    /// Milliseconds since the epoch.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// This instant moved by `ms` milliseconds, saturating at the ends of time.
    #[must_use]
    pub const fn plus(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to this instant; negative when it lies before.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The UTC day that contains this instant.
    pub const fn utc_day(self) -> UtcDay {
        UtcDay(self.0.div_euclid(DAY_MS))
    }
}

impl fmt::Display for UnixMillis {
    /// RFC 3339 in UTC, or the bare number where the calendar ends.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calendar = OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * NANOS_PER_MS).ok();
        match calendar.and_then(|instant| instant.format(&Rfc3339).ok()) {
            Some(text) => f.pad(&text),
            None => self.0.fmt(f),
        }
    }
}

impl FromStr for UnixMillis {
    type Err = InvalidInstant;

    /// Reads RFC 3339 (`2026-11-29T00:10:00Z`) or a bare count of milliseconds.
    fn from_str(text: &str) -> Result<Self, InvalidInstant> {
        let refuse = || InvalidInstant(text.to_owned());
        if let Ok(ms) = text.parse() {
            return Ok(Self(ms));
        }
        let instant = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| refuse())?;
        let ms = instant.unix_timestamp_nanos().div_euclid(NANOS_PER_MS);
        i64::try_from(ms).map(Self).map_err(|_| refuse())
    }
}

/// A text that names no instant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an instant: write RFC 3339 such as 2026-11-29T00:10:00Z, or milliseconds since 1970")]
pub struct InvalidInstant(String);

/// A UTC day: whole days since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UtcDay(i64);

impl UtcDay {
    /// The day that lies `days` days after the epoch.
    pub const fn new(days: i64) -> Self {
        Self(days)
    }

    /// Whole days since the epoch.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The day's first instant, 00:00 UTC.
    pub const fn start(self) -> UnixMillis {
        UnixMillis(self.0.saturating_mul(DAY_MS))
    }

    /// The following day.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

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
        let refuse = || InvalidDate(format!("day {}", day.0));
        let days = i32::try_from(day.0).map_err(|_| refuse())?;
        let date = Date::from_julian_day(EPOCH.checked_add(days).ok_or_else(refuse)?);
        let date = date.map_err(|_| refuse())?;
        Self::within_accepted_years(date).ok_or_else(refuse)
    }

    /// The UTC day with this date.
    pub fn utc_day(self) -> UtcDay {
        UtcDay((self.0.to_julian_day() - EPOCH).into())
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
    fn a_utc_day_starts_at_midnight_and_ends_before_the_next() {
        let midnight: UnixMillis = "2026-11-29T00:00:00Z".parse().unwrap();
        assert_eq!(midnight.plus(-1).utc_day().next(), midnight.utc_day());
        assert_eq!(midnight.utc_day().start(), midnight);
        assert_eq!(midnight.plus(DAY_MS - 1).utc_day(), midnight.utc_day());
    }

    #[test]
    fn an_instant_is_written_as_rfc_3339_and_read_back() {
        let check = |ms, text: &str| {
            assert_eq!(UnixMillis::new(ms).to_string(), text);
            assert_eq!(text.parse(), Ok(UnixMillis::new(ms)));
        };
        check(0, "1970-01-01T00:00:00Z");
        check(1_795_911_000_000, "2026-11-29T00:10:00Z");
        check(1_795_911_000_050, "2026-11-29T00:10:00.05Z");
        check(-1, "1969-12-31T23:59:59.999Z");
        check(i64::MAX, "9223372036854775807");
        let read = |text: &str| text.parse().map(UnixMillis::get).map_err(drop);
        assert_eq!(read("2026-11-29T01:10:00+01:00"), Ok(1_795_911_000_000));
        assert_eq!(read("2026-11-28T19:10:00.0009-05:00"), Ok(1_795_911_000_000));
        for text in ["", "2026-11-29", "2026-11-29T00:10:00", "2026-02-30T00:00:00Z", "now", "1e3"] {
            assert_eq!(read(text), Err(()), "{text:?}");
        }
    }

    #[test]
    fn days_before_the_epoch_round_down() {
        assert_eq!(UnixMillis::new(-1).utc_day(), UtcDay::new(-1));
    }

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
