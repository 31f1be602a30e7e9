//! Why an item is not out: one account for the API, the command line and the log.
//!
//! What is said of a predicate is said here, whether somebody asks about an item or a run
//! could not publish it. So both use the same words, and a person who finds one of them in a
//! log finds it again wherever they look next.

use fencepost_domain::{
    action::LoggedAction,
    commit::Receipt,
    guard::Predicate,
    id::{BankVersion, ContentVersion, PuzzleId},
    image::{ImageKey, SourceImage},
    lease::LeaseRow,
    ledger::Item,
    page::AnswerPage,
    puzzle::Puzzle,
    quota::DailyQuota,
    time::UnixMillis,
};
use fencepost_ports::{ItemDetail, Preflight};
use serde::Serialize;

use crate::{ActionError, ItemReport, Site};

/// All that is known of one item, and what keeps it from being published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItemExplanation {
    /// Whose answer.
    pub puzzle_id: PuzzleId,
    /// The store's clock, by which everything here is meant.
    pub now: UnixMillis,
    /// The item.
    #[serde(flatten)]
    pub item: Option<Item>,
    /// The puzzle.
    pub puzzle: Option<Puzzle>,
    /// Its page, but for what it shows.
    pub page: Option<PageSummary>,
    /// What is known of its photo.
    pub image: Option<SourceImage>,
    /// The row of its lease.
    pub lease: Option<LeaseSummary>,
    /// Whether the site is paused.
    pub paused: bool,
    /// The row of the current UTC day.
    pub quota: Option<DailyQuota>,
    /// Every predicate of a publication's guard, as if the item were taken in hand now, in
    /// the order of the guard; none for an item that is out or was taken back, which nobody
    /// would publish.
    pub guard: Vec<Finding>,
    /// Those that do not hold: what keeps it from being published.
    pub blocked_by: Vec<Hindrance>,
    /// Every change of its page, oldest first.
    pub history: Vec<Receipt>,
    /// What people did with it, oldest first; what changed its page has the token of the
    /// change.
    pub actions: Vec<LoggedAction>,
}

/// A predicate, and whether it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The guard's predicate.
    pub predicate: Predicate,
    /// Whether it holds.
    pub holds: bool,
    /// What that means here.
    pub detail: String,
}

/// Something that keeps an item from being published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hindrance {
    /// The guard's predicate that does not hold.
    pub predicate: Predicate,
    /// What that means here.
    pub detail: String,
}

/// The row of a lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeaseSummary {
    /// The row.
    #[serde(flatten)]
    pub row: LeaseRow,
    /// Whether somebody holds it now.
    pub live: bool,
}

/// A page, but for what it shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PageSummary {
    /// Its version.
    pub content_version: ContentVersion,
    /// The bank version that it was rendered from.
    pub bank_version: BankVersion,
    /// Whether search engines may keep it.
    pub indexable: bool,
    /// Its photo.
    pub image_key: Option<ImageKey>,
    /// When it came out.
    pub published_at: UnixMillis,
    /// When it was changed last.
    pub updated_at: UnixMillis,
    /// When it was taken back.
    pub withdrawn_at: Option<UnixMillis>,
}

impl From<AnswerPage> for PageSummary {
    fn from(page: AnswerPage) -> Self {
        Self {
            content_version: page.content_version,
            bank_version: page.bank_version,
            indexable: page.indexable,
            image_key: page.content.image_key,
            published_at: page.published_at,
            updated_at: page.updated_at,
            withdrawn_at: page.withdrawn_at,
        }
    }
}

impl ItemExplanation {
    fn of(puzzle_id: PuzzleId, detail: ItemDetail, daily_quota: i64) -> Self {
        let ItemDetail { preflight: seen, receipts: history, actions } = detail;
        let finding = |(predicate, holds)| Finding {
            predicate,
            holds,
            detail: if holds { predicate.assurance().to_owned() } else { objection(predicate, &seen) },
        };
        let guard: Vec<_> = seen.outlook(daily_quota).into_iter().map(finding).collect();
        let hindrance = |it: &Finding| Hindrance { predicate: it.predicate, detail: it.detail.clone() };
        Self {
            puzzle_id,
            now: seen.now,
            blocked_by: guard.iter().filter(|it| !it.holds).map(hindrance).collect(),
            guard,
            lease: seen.lease.map(|row| LeaseSummary { live: row.is_live(seen.now), row }),
            item: seen.item,
            puzzle: seen.puzzle,
            page: seen.page.map(PageSummary::from),
            image: seen.image,
            paused: seen.paused,
            quota: seen.quota,
            history,
            actions,
        }
    }
}

impl Site {
    /// All that is known of one item.
    pub async fn item(&self, puzzle_id: PuzzleId) -> Result<ItemExplanation, ActionError> {
        let detail =
            self.stores.ledger.item(puzzle_id).await?.ok_or(ActionError::UnknownPuzzle(puzzle_id))?;
        Ok(ItemExplanation::of(puzzle_id, detail, self.settings.daily_quota))
    }
}

/// The report of an attempt that could not take the item in hand.
pub(crate) fn not_taken(puzzle_id: PuzzleId, seen: &Preflight) -> ItemReport {
    let (outcome, predicate) = seen.not_taken();
    let report = ItemReport::new(puzzle_id, outcome);
    if let Some(predicate) = predicate {
        return report.blocked_by(predicate).because(objection(predicate, seen));
    }
    match seen.item.as_ref().and_then(|item| item.waits_until(seen.now)) {
        Some(at) => report.because(format!("the item failed, and waits for its next attempt until {at}")),
        None => report,
    }
}

/// What it means that the predicate is false of what was seen.
fn objection(predicate: Predicate, seen: &Preflight) -> String {
    let item = seen.item.as_ref();
    let known = match predicate {
        Predicate::LeaseOwner => seen.lease.as_ref().map(|row| {
            format!("{} holds the lease, fence {}, until {}", row.owner, row.fence.get(), row.expires_at)
        }),
        Predicate::ItemState => item.and_then(|item| item.blocked_reason.clone()),
        Predicate::NotTooLate => item.map(|item| {
            format!("it was due at {}, and jobs do not catch up with that any more; publish it by hand, or set another policy", item.due_at)
        }),
        Predicate::ItemDue => item.map(|item| format!("the answer is due at {}", item.due_at)),
        Predicate::ImageReady => Some(match seen.image.as_ref().and_then(|image| image.error.clone()) {
            Some(error) => format!("the photo could not be had: {error}"),
            None => "the photo is not stored yet; the next run fetches it".to_owned(),
        }),
        _ => None,
    };
    known.unwrap_or_else(|| predicate.complaint().to_owned())
}
