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
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Nanoseconds in a millisecond.
const NANOS_PER_MS: i128 = 1_000_000;

/// Milliseconds in one UTC day. Unix time has no leap seconds.
pub const DAY_MS: i64 = 86_400_000;

/// An instant: milliseconds since 1970-01-01T00:00:00Z. It is written to JSON as that number, and
/// for people as RFC 3339.
///
/// ```
/// use fencepost_core::time::{DAY_MS, UnixMillis};
///
/// let due: UnixMillis = "2026-11-29T00:10:00Z".parse()?;
/// assert_eq!(due.since(due.utc_day().start()), 600_000);
/// assert_eq!(due.plus(DAY_MS).to_string(), "2026-11-30T00:10:00Z");
/// # Ok::<(), fencepost_core::time::InvalidInstant>(())
/// ```
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

    /// Reads RFC 3339 (`2026-11-29T00:10:00Z`) or a bare count of milliseconds. What is finer
    /// than a millisecond is cut off.
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

    /// The day's first instant, 00:00 UTC, saturating at the ends of time.
    pub const fn start(self) -> UnixMillis {
        UnixMillis(self.0.saturating_mul(DAY_MS))
    }

    /// The following day.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

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
}
