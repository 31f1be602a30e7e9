//! The demo: the sample bank, in a folder of its own.
//!
//! A start on another day adds the days that are missing, by the store's clock, and finds
//! the others as they are. A puzzle that is there already is never imported again:
//! somebody may have edited it.

mod images;
pub(crate) use images::DemoImages;

use std::fs;

use fencepost_application::Site;
use fencepost_demo::{Sample, samples};
use fencepost_domain::{action::Actor, id::PuzzleId, puzzle::ImportFile, time::PlayDate};
use fencepost_ports::StoreError;

use crate::{failure::Failure, options::Places, output::plural};

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
    let samples = samples(now, site.settings.grace_ms).map_err(|error| {
        Failure::fault(format!("the database's clock stands at {now}, and {error}; set the machine's clock"))
    })?;
    let Some(first) = samples.first().map(|sample| sample.date) else { return Ok(()) };
    let known = known_since(site, first).await?;
    let is_known = |sample: &Sample| known.iter().any(|(id, date)| sample.id == *id || sample.date == *date);
    let puzzles: Vec<_> =
        samples.into_iter().filter(|sample| !is_known(sample)).map(Sample::into_row).collect();
    if puzzles.is_empty() {
        tracing::info!("the demo's bank is stocked already");
        return Ok(());
    }
    let count = puzzles.len();
    let keeper = Actor::new("demo", Some("samples around today's date")).expect("both are short");
    site.import(&keeper, ImportFile { puzzles }).await.map_err(|error| {
        Failure::fault(format!(
            "cannot stock the demo's bank: {error}; start again, or remove the demo's folder"
        ))
    })?;
    tracing::info!("stocked the demo's bank with {}", plural(count, "puzzle"));
    Ok(())
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
