//! The guard: the conditions under which a commit may land.
//!
//! D1 offers no transaction in which a program could look and then write, so every
//! condition travels *inside* the write. Each is defined once, here, and used three
//! times: as SQL in the write, as a column of the query that explains why an item is
//! not out, and as [`Predicate::holds`] on the reference model. The differential
//! tests show that the three agree.
//!
//! All predicates of a kind stand in one place of the statement, its `WHERE`. A
//! condition that is checked twice (here and in an `ON CONFLICT … WHERE`, say) cannot
//! be shown to matter: the test that removes one copy passes thanks to the other.

use serde::{Deserialize, Serialize};

use crate::{
    catch_up::CatchUp,
    commit::{Commit, CommitKind},
    id::{BankVersion, ContentVersion},
    image::{ImageKey, SourceImage},
    lease::LeaseRow,
    ledger::Item,
    outcome::Outcome,
    quota::DailyQuota,
    time::UnixMillis,
};

/// One condition of the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Predicate {
    /// The lease's owner is the one who writes.
    LeaseOwner,
    /// The lease has not changed hands since, not even back to the same owner.
    LeaseFence,
    /// The lease is live by the store's clock.
    LeaseLive,
    /// The item is in the state that this kind of commit starts from.
    ItemState,
    /// The embargo is over: `due_at <= now`, inclusive.
    ItemDue,
    /// A job still catches up with the item; or a person publishes it.
    NotTooLate,
    /// The bank's row is the one that was rendered.
    BankVersion,
    /// The photo is stored, is that of the puzzle's present address, and is the one rendered.
    ImageReady,
    /// The page is the one that was seen (or there is still none).
    ContentVersion,
    /// An indexable page does not become unindexable.
    StaysIndexable,
    /// A page with a photo does not lose it.
    KeepsPhoto,
    /// Today's quota has room.
    QuotaLeft,
    /// The site is not paused.
    NotPaused,
}

impl Predicate {
    /// Every predicate.
    pub const ALL: [Self; 13] = [
        Self::LeaseOwner,
        Self::LeaseFence,
        Self::LeaseLive,
        Self::ItemState,
        Self::ItemDue,
        Self::NotTooLate,
        Self::BankVersion,
        Self::ImageReady,
        Self::ContentVersion,
        Self::StaysIndexable,
        Self::KeepsPhoto,
        Self::QuotaLeft,
        Self::NotPaused,
    ];

    /// The word for reports and columns.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LeaseOwner => "lease_owner",
            Self::LeaseFence => "lease_fence",
            Self::LeaseLive => "lease_live",
            Self::ItemState => "item_state",
            Self::ItemDue => "item_due",
            Self::NotTooLate => "not_too_late",
            Self::BankVersion => "bank_version",
            Self::ImageReady => "image_ready",
            Self::ContentVersion => "content_version",
            Self::StaysIndexable => "stays_indexable",
            Self::KeepsPhoto => "keeps_photo",
            Self::QuotaLeft => "quota_left",
            Self::NotPaused => "not_paused",
        }
    }

    /// What a false predicate means to a person.
    pub const fn complaint(self) -> &'static str {
        match self {
            Self::LeaseOwner | Self::LeaseFence => "another worker has taken the item over",
            Self::LeaseLive => "the lease has expired",
            Self::ItemState => "the item is not in the state that this change starts from",
            Self::ItemDue => "the answer's embargo has not ended",
            Self::NotTooLate => "jobs do not catch up with what is as late as this; a person can publish it",
            Self::BankVersion => "the puzzle was edited after it was read",
            Self::ImageReady => "the photo at the puzzle's address is not the stored one",
            Self::ContentVersion => "the page was changed after it was read",
            Self::StaysIndexable => "an indexable page would become unindexable",
            Self::KeepsPhoto => "a page would lose its photo",
            Self::QuotaLeft => "today's quota is used up",
            Self::NotPaused => "the site is paused",
        }
    }

    /// What a true predicate means to a person who looks at an item that nobody works at.
    pub const fn assurance(self) -> &'static str {
        match self {
            Self::LeaseOwner => "nobody else has the item in hand",
            Self::LeaseFence => "nobody has taken the item over",
            Self::LeaseLive => "a lease on it would be live",
            Self::ItemState => "the item is in the state that a publication starts from",
            Self::ItemDue => "the answer's embargo has ended",
            Self::NotTooLate => "jobs still catch up with it",
            Self::BankVersion => "the puzzle is the one that would be rendered",
            Self::ImageReady => "the puzzle has no photo, or its photo is stored",
            Self::ContentVersion => "the page is the one that would be changed",
            Self::StaysIndexable => "the page keeps its place in search engines",
            Self::KeepsPhoto => "the page keeps its photo",
            Self::QuotaLeft => "today's quota has room",
            Self::NotPaused => "the site is not paused",
        }
    }

    /// What an attempt is called that failed for these predicates.
    ///
    /// The strongest reason wins: whoever lost the lease knows nothing else for sure;
    /// whoever worked from an old state tries again before a one-way rule is held
    /// against them.
    pub fn refusal(blocked_by: &[Self]) -> Outcome {
        const BY_STRENGTH: [(Outcome, &[Predicate]); 7] = [
            (Outcome::LeaseLost, &[Predicate::LeaseOwner, Predicate::LeaseFence, Predicate::LeaseLive]),
            (Outcome::Conflict, &[Predicate::ItemState]),
            (Outcome::NotDue, &[Predicate::ItemDue]),
            (Outcome::Conflict, &[Predicate::BankVersion, Predicate::ImageReady, Predicate::ContentVersion]),
            (Outcome::Blocked, &[Predicate::NotTooLate, Predicate::StaysIndexable, Predicate::KeepsPhoto]),
            (Outcome::Paused, &[Predicate::NotPaused]),
            (Outcome::QuotaExhausted, &[Predicate::QuotaLeft]),
        ];
        BY_STRENGTH
            .into_iter()
            .find(|(_, predicates)| predicates.iter().any(|predicate| blocked_by.contains(predicate)))
            // Nothing is false any more: the store's clock or a neighbour moved between
            // the write and the read-back. The next attempt sees the new state.
            .map_or(Outcome::Conflict, |(outcome, _)| outcome)
    }

    /// Whether the predicate holds for `commit` in the state `facts`.
    pub fn holds(self, commit: &Commit, facts: &GuardFacts<'_>) -> bool {
        let content = commit.change.content();
        let new_image: Option<&ImageKey> = content.and_then(|content| content.image_key.as_ref());
        match self {
            Self::LeaseOwner => facts.lease.is_some_and(|row| row.owner == commit.lease.owner),
            Self::LeaseFence => facts.lease.is_some_and(|row| row.fence == commit.lease.fence),
            Self::LeaseLive => facts.lease.is_some_and(|row| row.is_live(facts.now)),
            Self::ItemState => {
                facts.item.is_some_and(|item| item.state == commit.change.kind().state_before())
            }
            Self::ItemDue => facts.item.is_some_and(|item| item.due_at <= facts.now),
            Self::NotTooLate => {
                commit.by.is_some()
                    || facts.item.is_some_and(|item| facts.catch_up.still_wants(item.due_at, facts.now))
            }
            Self::BankVersion => {
                facts.puzzle.is_some_and(|puzzle| puzzle.bank_version == commit.bank_version)
            }
            Self::ImageReady => facts.puzzle.is_some_and(|puzzle| match puzzle.image_url {
                Some(url) => {
                    new_image.is_some() && facts.image.and_then(|image| image.ready_for(url)) == new_image
                }
                None => new_image.is_none(),
            }),
            Self::ContentVersion => {
                facts.page.map_or(ContentVersion::NONE, |page| page.content_version) == commit.content_version
            }
            Self::StaysIndexable => {
                let becomes = content.is_some_and(crate::page::AnswerContent::indexable);
                becomes || !facts.page.is_some_and(|page| page.indexable)
            }
            Self::KeepsPhoto => new_image.is_some() || !facts.page.is_some_and(|page| page.has_photo),
            Self::QuotaLeft => DailyQuota::under(facts.quota, commit.daily_quota).has_left(),
            Self::NotPaused => !facts.paused,
        }
    }
}

impl CommitKind {
    /// The guard of this kind of commit. It begins with what every guarded batch has: the
    /// lease, and the version that was seen.
    ///
    /// Only `publish` consumes quota, and only jobs come too late for it; a pause stops whatever makes content public, and
    /// nothing stops a withdrawal but a lost lease or a page that has moved on.
    pub const fn guard(self) -> &'static [Predicate] {
        use Predicate::{
            BankVersion, ContentVersion, ImageReady, ItemDue, ItemState, KeepsPhoto, LeaseFence, LeaseLive,
            LeaseOwner, NotPaused, NotTooLate, QuotaLeft, StaysIndexable,
        };
        match self {
            Self::Publish => &[
                LeaseOwner,
                LeaseFence,
                LeaseLive,
                ContentVersion,
                ItemState,
                ItemDue,
                NotTooLate,
                BankVersion,
                ImageReady,
                QuotaLeft,
                NotPaused,
            ],
            Self::Update => &[
                LeaseOwner,
                LeaseFence,
                LeaseLive,
                ContentVersion,
                ItemState,
                ItemDue,
                BankVersion,
                ImageReady,
                StaysIndexable,
                KeepsPhoto,
                NotPaused,
            ],
            Self::Withdraw => &[LeaseOwner, LeaseFence, LeaseLive, ContentVersion, ItemState],
            Self::Reinstate => {
                &[LeaseOwner, LeaseFence, LeaseLive, ContentVersion, ItemState, ItemDue, NotPaused]
            }
        }
    }
}

/// Everything that a guard looks at, at one instant.
#[derive(Clone, Copy, Debug)]
pub struct GuardFacts<'a> {
    /// The store's clock.
    pub now: UnixMillis,
    /// The row of the commit's lease key.
    pub lease: Option<&'a LeaseRow>,
    /// The puzzle's item.
    pub item: Option<&'a Item>,
    /// The puzzle.
    pub puzzle: Option<PuzzleFacts<'a>>,
    /// What is known of its photo.
    pub image: Option<&'a SourceImage>,
    /// Its page.
    pub page: Option<PageFacts>,
    /// The row of the current UTC day.
    pub quota: Option<DailyQuota>,
    /// Whether the site is paused.
    pub paused: bool,
    /// What jobs do about items that are late.
    pub catch_up: CatchUp,
}

/// What a guard looks at in a puzzle.
#[derive(Clone, Copy, Debug)]
pub struct PuzzleFacts<'a> {
    /// Its version.
    pub bank_version: BankVersion,
    /// Its photo's address.
    pub image_url: Option<&'a str>,
}

/// What a guard looks at in a page.
#[derive(Clone, Copy, Debug)]
pub struct PageFacts {
    /// Its version.
    pub content_version: ContentVersion,
    /// Whether it is indexable.
    pub indexable: bool,
    /// Whether it shows a photo.
    pub has_photo: bool,
}

#[cfg(test)]
mod tests;
