//! The demo: a sample bank around today's date.
//!
//! It shows the main job without any preparation: six answers are due the moment it
//! starts, today's game is open, and a week lies ahead. What is sampled follows from the
//! UTC day alone, by the store's clock, so a start on another day adds the days that are
//! missing and finds the others as they are. A puzzle that is there already is never
//! imported again: somebody may have edited it.

mod items;

mod images;
pub(crate) use images::DemoImages;

use std::fs;

use fencepost_application::Site;
use fencepost_domain::{
    id::PuzzleId,
    puzzle::{ImportFile, ImportRow, Schedule},
    time::{PlayDate, UnixMillis, UtcDay},
};
use fencepost_ports::StoreError;

use crate::{failure::Failure, options::Places, output::plural};

/// How many finished puzzles there are.
const FINISHED: i64 = 6;
/// How many puzzles lie ahead of today's.
const AHEAD: i64 = 7;
/// The day before puzzle 1.
const DAY_ZERO: UtcDay = UtcDay::new(19_664);

/// Creates the folders that the demo's files are to be in.
pub(crate) fn make_room(places: &Places) -> Result<(), Failure> {
    let Some(folder) = places.database.parent().filter(|folder| !folder.as_os_str().is_empty()) else {
        return Ok(());
    };
    fs::create_dir_all(folder).map_err(|error| {
        Failure::fault(format!(
            "cannot create the folder {}: {error}; choose another place with --database",
            folder.display()
        ))
    })
}

/// Imports the samples that are missing.
pub(crate) async fn stock(site: &Site) -> Result<(), Failure> {
    let now = site.stores.revisions.moment().await?.now;
    let samples = samples(now, site.settings.grace_ms)?;
    let Some(first) = samples.first().map(|sample| sample.date) else { return Ok(()) };
    let known = known_since(site, first).await?;
    let puzzles: Vec<_> = samples
        .into_iter()
        .filter(|sample| !known.iter().any(|puzzle| sample.collides_with(puzzle)))
        .collect();
    if puzzles.is_empty() {
        tracing::info!("the demo's bank is stocked already");
        return Ok(());
    }
    let puzzles: Vec<_> = puzzles.into_iter().map(Sample::into_row).collect();
    let count = puzzles.len();
    site.import(ImportFile { puzzles }).await.map_err(|error| {
        Failure::fault(format!(
            "cannot stock the demo's bank: {error}; start again, or remove the demo's folder"
        ))
    })?;
    tracing::info!("stocked the demo's bank with {}", plural(count, "puzzle"));
    Ok(())
}

/// A day of the demo.
#[derive(Debug)]
struct Sample {
    id: PuzzleId,
    date: PlayDate,
}

impl Sample {
    fn of(day: UtcDay) -> Result<Self, Failure> {
        let refuse = |_| {
            Failure::fault(format!(
                "the database's clock stands at day {} of Unix time, where the demo has no puzzles; set the machine's clock",
                day.get()
            ))
        };
        let id = PuzzleId::try_from(day.get() - DAY_ZERO.get()).map_err(|_| ()).map_err(refuse)?;
        let date = PlayDate::from_utc_day(day).map_err(|_| ()).map_err(refuse)?;
        Ok(Self { id, date })
    }

    fn collides_with(&self, (id, date): &(PuzzleId, PlayDate)) -> bool {
        self.id == *id || self.date == *date
    }

    fn into_row(self) -> ImportRow {
        let item = items::of_day(self.date.utc_day());
        ImportRow {
            id: self.id.get(),
            play_date: self.date.to_string(),
            name: item.name.to_owned(),
            price_cents: item.price_cents,
            description: item.description.to_owned(),
            image_url: Some(item.image_url()),
            expected_version: None,
        }
    }
}

/// Every day that the demo shows at `now`, oldest first: as many finished ones as
/// promised, also in the minutes after midnight in which yesterday's is not finished yet.
fn samples(now: UnixMillis, grace_ms: i64) -> Result<Vec<Sample>, Failure> {
    let today = now.utc_day().get();
    let is_finished = |day: i64| {
        PlayDate::from_utc_day(UtcDay::new(day)).is_ok_and(|date| Schedule::of(date, grace_ms).due_at <= now)
    };
    let last_finished = if is_finished(today - 1) { today - 1 } else { today - 2 };
    (last_finished - FINISHED + 1..=today + AHEAD).map(|day| Sample::of(UtcDay::new(day))).collect()
}

/// The puzzles of the bank that are played on `first` or later.
async fn known_since(site: &Site, first: PlayDate) -> Result<Vec<(PuzzleId, PlayDate)>, StoreError> {
    let mut known = Vec::new();
    let mut before = None;
    loop {
        let page = site.items(before).await?;
        let Some(last) = page.last().map(|item| item.play_date) else { return Ok(known) };
        known.extend(page.into_iter().map(|item| (item.puzzle_id, item.play_date)));
        if last < first {
            return Ok(known);
        }
        before = Some(last);
    }
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
        assert!(Sample::of(UtcDay::new(0)).is_err());
    }
}
