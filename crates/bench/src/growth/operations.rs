//! What is done on every site.
//!
//! An operation is a call of a port or of a use case, as the program makes it, repeated some
//! times. What it needs beforehand, such as an item in hand, is not counted.

use std::collections::BTreeMap;

use anyhow::ensure;
use fencepost_application::{Setup, Site, TokenStrength};
use fencepost_domain::{
    action::Actor,
    id::{OwnerId, PuzzleId, RunId},
    lease::DEFAULT_LEASE_MS,
    outbox::{EventKind, EventState},
    puzzle::PuzzleRow,
    retention::{Perishable, Pruning},
    time::{DAY_MS, PlayDate, UnixMillis, UtcDay},
    visibility::IMAGE_LEAD_MS,
};
use fencepost_ports::Job;

use super::meter::Meter;
use crate::{
    publishing::take_in_hand,
    results,
    stock::{self, FRESH, PENDING, Stock},
};

/// Something that is done on a site.
pub(super) struct Operation {
    /// What it is called.
    pub(super) name: &'static str,
    /// On sites up to which size.
    pub(super) up_to: i64,
    what: What,
    times: i64,
}

/// What is done.
#[derive(Clone, Copy)]
enum What {
    Moment,
    Answer,
    Home,
    Feed,
    Sitemap,
    List,
    ShowsImage,
    Claim,
    Begin,
    Commit,
    Runnable,
    NextWake,
    Result,
    Run(Perishable),
    Unprepared,
    AlertLook,
    Import,
    OutboxWork,
    OutboxClaim,
    ItemsList,
    ItemDetail,
    RunsList,
    ActionsList,
    EventsList,
    DeadEventsList,
    EventsTally,
    Status,
    Doctor,
    ReferencedImages,
    Verify,
}

const ALL: i64 = i64::MAX;

const fn of(name: &'static str, what: What, times: i64) -> Operation {
    Operation { name, what, times, up_to: ALL }
}

/// What looks at everything, and is left out where that takes too long for a measurement.
const fn up_to(up_to: i64, name: &'static str, what: What, times: i64) -> Operation {
    Operation { up_to, ..of(name, what, times) }
}

/// All of them.
pub(super) const OPERATIONS: &[Operation] = &[
    of("revision read", What::Moment, 200),
    of("answer page read", What::Answer, 100),
    of("home read", What::Home, 100),
    of("feed read", What::Feed, 50),
    of("answers list read", What::List, 50),
    of("sitemap read", What::Sitemap, 5),
    of("image lookup", What::ShowsImage, 100),
    of("claim", What::Claim, 100),
    of("begin", What::Begin, FRESH),
    of("commit batch", What::Commit, FRESH),
    of("work to do", What::Runnable, 50),
    of("next wake", What::NextWake, 50),
    of("result insert", What::Result, 100),
    of("record of a run that forgets runs", What::Run(Perishable::Runs), 50),
    of("record of a run that forgets imports", What::Run(Perishable::Edits), 50),
    of("record of a run that forgets events", What::Run(Perishable::Events), 50),
    of("images to prepare", What::Unprepared, 50),
    of("look for alerts", What::AlertLook, 50),
    of("import of one puzzle", What::Import, 50),
    of("look into the outbox", What::OutboxWork, 50),
    of("event to deliver", What::OutboxClaim, PENDING),
    of("list of items", What::ItemsList, 20),
    of("item in detail", What::ItemDetail, 50),
    of("list of runs", What::RunsList, 20),
    of("list of actions", What::ActionsList, 20),
    of("list of events", What::EventsList, 20),
    of("list of dead events", What::DeadEventsList, 2),
    of("tally of events", What::EventsTally, 20),
    of("status", What::Status, 1),
    of("doctor", What::Doctor, 1),
    of("page of referenced images", What::ReferencedImages, 5),
    up_to(10_000, "verify", What::Verify, 1),
];

impl Operation {
    /// Does it, and tells the meter.
    pub(super) async fn run(&self, site: &Site, stock: &Stock, meter: &mut Meter<'_>) -> anyhow::Result<()> {
        for nth in 0..self.times {
            self.what.once(nth, site, stock, meter).await?;
        }
        Ok(())
    }
}

impl What {
    /// Does it once.
    async fn once(self, nth: i64, site: &Site, stock: &Stock, meter: &mut Meter<'_>) -> anyhow::Result<()> {
        let stores = &site.stores;
        let now = site.moment().await?.now;
        match self {
            Self::Moment => drop(meter.time(stores.revisions.moment()).await?),
            Self::Answer => {
                let puzzle = PuzzleId::try_from(past(nth, stock))?;
                let seen = meter.time(stores.posts.answer(now, puzzle)).await?;
                ensure!(seen.value.is_some_and(|view| view.page.is_some()), "{puzzle} has no page");
            }
            Self::Home => drop(meter.time(stores.posts.home(now, 6)).await?),
            Self::Feed => drop(meter.time(stores.posts.feed(now, 20)).await?),
            Self::Sitemap => drop(meter.time(stores.posts.sitemap(now, 10_000)).await?),
            Self::List => drop(meter.time(stores.posts.list(now, None, 31)).await?),
            Self::ShowsImage => {
                // The pages with odd numbers have a photo.
                let key = format!("{:064x}.jpg", past(nth, stock) | 1).parse()?;
                meter.time(stores.posts.shows_image(now, &key)).await?;
            }
            Self::Claim => {
                let owner = OwnerId::new("bench");
                let row = meter.time(stores.leases.claim(stock::key(nth)?, &owner, DEFAULT_LEASE_MS)).await?;
                ensure!(row.owner == owner, "a new key was claimed by {}", row.owner);
            }
            Self::Begin => {
                let begin = stock::fresh(nth)?;
                let seen = meter.time(stores.ledger.begin(&begin)).await?;
                ensure!(seen.lease_of(&begin).is_some(), "what is due could not be taken in hand: {seen:?}");
            }
            Self::Commit => {
                let commit = take_in_hand(stores.ledger.as_ref(), nth).await?;
                let readback = meter.time(stores.ledger.commit(&commit)).await?;
                ensure!(readback.landed, "a commit did not land: {readback:?}");
            }
            Self::Runnable => {
                let runnable = meter.time(stores.ledger.runnable(None, 50)).await?;
                ensure!(runnable.items.len() == 50, "{} items are due", runnable.items.len());
            }
            Self::NextWake => drop(meter.time(stores.ledger.next_wake(site.settings.daily_quota)).await?),
            Self::Result => drop(meter.time(stores.results.report(&results::result(nth)?)).await?),
            Self::Run(what) => {
                let (run, owner) = (RunId::new(format!("measured-{nth}")), OwnerId::new("bench"));
                let pruning = Pruning { what, keep_ms: site.settings.keep_days * DAY_MS };
                let record = async {
                    stores.runs.start(&run, Job::Publish, &owner, "measured", None).await?;
                    stores.runs.finish(&run, &BTreeMap::new(), None, Some(pruning)).await
                };
                meter.time(record).await?;
            }
            Self::Unprepared => drop(meter.time(stores.images.unprepared(IMAGE_LEAD_MS, 10)).await?),
            Self::AlertLook => drop(meter.time(stores.alerts.look()).await?),
            Self::Import => {
                let row = imported(nth)?;
                meter.time(site.import_rows(&Actor::new("bench", None)?, vec![row])).await?;
            }
            Self::OutboxWork => drop(meter.time(stores.outbox.work(&EventKind::ALL)).await?),
            Self::OutboxClaim => {
                let owner = OwnerId::new(format!("bench-{nth}"));
                let claimed = meter.time(stores.outbox.claim(&EventKind::ALL, &owner)).await?;
                ensure!(claimed.is_some(), "there is no event to deliver");
            }
            Self::ItemsList => drop(meter.time(site.items(Some(before_today(now)?))).await?),
            Self::ItemDetail => drop(meter.time(site.item(PuzzleId::try_from(past(nth, stock))?)).await?),
            Self::RunsList => drop(meter.time(site.runs(None)).await?),
            Self::ActionsList => drop(meter.time(site.actions(None)).await?),
            Self::EventsList => drop(meter.time(site.events(None, None)).await?),
            Self::DeadEventsList => drop(meter.time(site.events(Some(EventState::Dead), None)).await?),
            Self::EventsTally => drop(meter.time(site.outbox_tally()).await?),
            Self::Status => drop(meter.time(site.status()).await?),
            Self::Doctor => {
                let setup = Setup {
                    admin_token: TokenStrength::Strong,
                    has_secret: true,
                    origin: None,
                    host_now: None,
                    cache_host: None,
                    asks_photo_hosts: false,
                };
                meter.time(async { anyhow::Ok(site.doctor(&setup).await) }).await?;
            }
            Self::ReferencedImages => drop(meter.time(stores.verifier.referenced_images(None, 500)).await?),
            Self::Verify => {
                let violations = meter.time(site.verify_without_photos()).await?;
                ensure!(violations.is_empty(), "the planted site is not sound: {violations:?}");
            }
        }
        Ok(())
    }
}

/// One of the newest pages of the past.
fn past(nth: i64, stock: &Stock) -> i64 {
    stock.size() - nth * 37 % stock.size().min(5_000)
}

/// The list of items begins with those that are yet to come, of which there are more on a
/// larger site. What follows them has the same length on all.
fn before_today(now: UnixMillis) -> anyhow::Result<PlayDate> {
    Ok(PlayDate::from_utc_day(now.utc_day())?)
}

/// A puzzle that the bank does not have, on one of the last days that there are.
fn imported(nth: i64) -> anyhow::Result<PuzzleRow> {
    let last: PlayDate = "2199-12-31".parse()?;
    Ok(PuzzleRow {
        puzzle_id: stock::imported(nth)?,
        play_date: PlayDate::from_utc_day(UtcDay::new(last.utc_day().get() - nth))?,
        name: "A thing".to_owned(),
        price_cents: 1_000,
        description: stock::description(),
        image_url: None,
        expected_version: None,
    })
}
