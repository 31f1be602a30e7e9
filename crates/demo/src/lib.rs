//! The sample bank: what a site shows before it has anything of its own.
//!
//! It shows the main job without any preparation: six answers are due the moment it is
//! imported, today's game is open, and a week lies ahead. What is sampled follows from the
//! UTC day alone, so a bank that is stocked again on another day gets the days that are
//! missing, and every number keeps its day and its thing.
//!
//! The server stocks its demo with it, and so does the Worker on a developer's machine,
//! which is not a Rust program's to fill; for that, the program of this crate prints the
//! bank as an import.

mod items;
pub use items::photo;

use fencepost_domain::{
    id::PuzzleId,
    puzzle::{ImportRow, Schedule},
    time::{PlayDate, UnixMillis, UtcDay},
};

/// The host that the photos are at. It lies under a top-level name that is reserved for
/// never existing (RFC 6761), so whoever answers for it shadows nobody's address.
pub const HOST: &str = "demo.invalid";

/// How many finished puzzles there are.
const FINISHED: i64 = 6;
/// How many puzzles lie ahead of today's.
const AHEAD: i64 = 7;
/// The day before puzzle 1.
const DAY_ZERO: UtcDay = UtcDay::new(19_664);

/// A day of the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The puzzle's number.
    pub id: PuzzleId,
    /// The day on which it is played.
    pub date: PlayDate,
}

/// A day without a sample: before the first puzzle, or where dates end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the sample bank has no puzzle on day {0} of Unix time")]
pub struct NoSample(i64);

impl Sample {
    fn of(day: UtcDay) -> Result<Self, NoSample> {
        let refusal = NoSample(day.get());
        let id = PuzzleId::try_from(day.get() - DAY_ZERO.get()).map_err(|_| refusal)?;
        let date = PlayDate::from_utc_day(day).map_err(|_| refusal)?;
        Ok(Self { id, date })
    }

    /// The row to import.
    pub fn into_row(self) -> ImportRow {
        let item = items::of_day(self.date.utc_day());
        ImportRow {
            id: self.id.get(),
            play_date: self.date.to_string(),
            name: item.name.to_owned(),
            price_cents: item.price_cents,
            description: item.description.to_owned(),
            image_url: Some(format!("https://{HOST}/{}", item.file)),
            expected_version: None,
        }
    }
}

/// Every day of the bank at `now`, oldest first: as many finished ones as promised, also in
/// the minutes after midnight in which yesterday's is not finished yet.
///
/// # Errors
/// There is no sample for one of these days.
pub fn samples(now: UnixMillis, grace_ms: i64) -> Result<Vec<Sample>, NoSample> {
    let today = now.utc_day().get();
    let is_finished = |day: i64| {
        PlayDate::from_utc_day(UtcDay::new(day)).is_ok_and(|date| Schedule::of(date, grace_ms).due_at <= now)
    };
    let last_finished = if is_finished(today - 1) { today - 1 } else { today - 2 };
    (last_finished - FINISHED + 1..=today + AHEAD).map(|day| Sample::of(UtcDay::new(day))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(now: &str, grace_ms: i64, first: &str, last: &str) {
        let samples = samples(now.parse().unwrap(), grace_ms).unwrap();
        let date = |sample: Option<&Sample>| sample.unwrap().date.to_string();
        assert_eq!(date(samples.first()), first, "first at {now}");
        assert_eq!(date(samples.last()), last, "last at {now}");
        let now: UnixMillis = now.parse().unwrap();
        let finished =
            samples.iter().filter(|sample| Schedule::of(sample.date, grace_ms).due_at <= now).count();
        assert_eq!(finished, 6, "finished at {now}");
    }

    #[test]
    fn six_puzzles_are_finished_at_any_time_of_day() {
        let grace = 600_000;
        check("2026-11-29T00:10:00Z", grace, "2026-11-23", "2026-12-06");
        check("2026-11-29T23:59:59.999Z", grace, "2026-11-23", "2026-12-06");
        check("2026-11-29T00:09:59.999Z", grace, "2026-11-22", "2026-12-06");
        check("2026-11-29T00:00:00Z", grace, "2026-11-22", "2026-12-06");
        check("2026-11-29T11:59:59Z", 43_200_000, "2026-11-22", "2026-12-06");
        check("2026-11-29T12:00:00Z", 43_200_000, "2026-11-23", "2026-12-06");
        check("2026-11-29T00:00:00Z", 0, "2026-11-23", "2026-12-06");
    }

    #[test]
    fn a_day_has_one_number_and_one_item_for_ever() {
        let sample = Sample::of("2026-11-28T12:00:00Z".parse::<UnixMillis>().unwrap().utc_day()).unwrap();
        assert_eq!(sample.id.get(), 1121);
        let row = sample.into_row();
        assert_eq!((row.id, row.play_date.as_str()), (1121, "2026-11-28"));
    }

    #[test]
    fn every_photo_of_the_bank_is_there() {
        for sample in samples("2026-11-29T12:00:00Z".parse().unwrap(), 600_000).unwrap() {
            let url = sample.into_row().image_url.unwrap();
            let file = url.strip_prefix("https://demo.invalid/").unwrap();
            assert!(photo(file).is_some(), "{url}");
        }
        assert!(photo("unknown.webp").is_none());
    }

    #[test]
    fn there_are_no_samples_before_the_first_puzzle() {
        let error = samples(UnixMillis::new(0), 600_000).unwrap_err().to_string();
        assert_eq!(error, "the sample bank has no puzzle on day -7 of Unix time");
    }
}
