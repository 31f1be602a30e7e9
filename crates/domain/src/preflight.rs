//! Taking work in hand: what is asked for, and all that is seen then, at one instant.

use crate::{
    catch_up::CatchUp,
    guard::{GuardFacts, PageFacts, PuzzleFacts},
    id::{ContentVersion, OwnerId, PuzzleId},
    image::{ImageKey, SourceImage},
    lease::{Lease, LeaseKey, LeaseRow},
    ledger::Item,
    page::AnswerPage,
    puzzle::Puzzle,
    quota::DailyQuota,
    time::UnixMillis,
};

/// A request to take an item in hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begin {
    /// Whose answer.
    pub puzzle_id: PuzzleId,
    /// For whom.
    pub owner: OwnerId,
    /// How long the lease is to live, in milliseconds.
    pub ttl_ms: i64,
    /// Whether a person wants it, who may have what jobs do not catch up with any more.
    pub by_hand: bool,
}

impl Begin {
    /// The lease that is claimed.
    pub fn key(&self) -> LeaseKey {
        LeaseKey::Publication(self.puzzle_id)
    }

    /// Whether it may take `item` in hand at `now`, if nobody else has it.
    pub fn may_take(&self, item: &Item, catch_up: CatchUp, now: UnixMillis) -> bool {
        item.is_runnable(now) && (self.by_hand || catch_up.still_wants(item.due_at, now))
    }
}

/// All that is seen before an item is rendered, at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preflight {
    /// The store's clock.
    pub now: UnixMillis,
    /// The row of the item's lease.
    pub lease: Option<LeaseRow>,
    /// The item.
    pub item: Option<Item>,
    /// The puzzle.
    pub puzzle: Option<Puzzle>,
    /// What is known of its photo.
    pub image: Option<SourceImage>,
    /// Its page.
    pub page: Option<AnswerPage>,
    /// Whether the site is paused.
    pub paused: bool,
    /// The row of the current UTC day.
    pub quota: Option<DailyQuota>,
    /// What jobs do about items that are late.
    pub catch_up: CatchUp,
}

impl Preflight {
    /// The lease, if `begin` got it.
    pub fn lease_of(&self, begin: &Begin) -> Option<Lease> {
        self.lease.as_ref()?.held_by(&begin.owner, begin.key(), self.now)
    }

    /// What a guard would look at.
    pub fn guard_facts(&self) -> GuardFacts<'_> {
        GuardFacts {
            now: self.now,
            lease: self.lease.as_ref(),
            item: self.item.as_ref(),
            puzzle: self.puzzle.as_ref().map(|puzzle| PuzzleFacts {
                bank_version: puzzle.bank_version,
                image_url: puzzle.image_url.as_deref(),
            }),
            image: self.image.as_ref(),
            page: self.page.as_ref().map(|page| PageFacts {
                content_version: page.content_version,
                indexable: page.indexable,
                has_photo: page.content.image_key.is_some(),
            }),
            quota: self.quota,
            paused: self.paused,
            catch_up: self.catch_up,
        }
    }

    /// The stored photo of the puzzle as it is now, if it has one and that is stored.
    pub fn photo(&self) -> Option<&ImageKey> {
        self.image.as_ref()?.ready_for(self.puzzle.as_ref()?.image_url.as_deref()?)
    }

    /// The version of the page that was seen.
    pub fn content_version(&self) -> ContentVersion {
        self.page.as_ref().map_or(ContentVersion::NONE, |page| page.content_version)
    }
}

/// What is seen before a photo is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImagePreflight {
    /// The store's clock.
    pub now: UnixMillis,
    /// The row of the image lease.
    pub lease: Option<LeaseRow>,
    /// The puzzle's present address.
    pub image_url: Option<String>,
    /// What is known of the photo.
    pub image: Option<SourceImage>,
}

impl ImagePreflight {
    /// The lease, if `owner` got it.
    pub fn lease_of(&self, puzzle: PuzzleId, owner: &OwnerId) -> Option<Lease> {
        self.lease.as_ref()?.held_by(owner, LeaseKey::Image(puzzle), self.now)
    }
}

/// How a fetch ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageRecord {
    /// The photo is stored.
    Ready {
        /// The address that it was fetched from.
        image_url: String,
        /// Its name in the blob store.
        object_key: ImageKey,
        /// Its size.
        bytes: i64,
    },
    /// The photo could not be had.
    Failed {
        /// The address that was tried.
        image_url: String,
        /// What happened.
        error: String,
        /// Milliseconds until preparing it is tried again.
        retry_after_ms: i64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{commit::CommitKind, id::Fence, scene};

    #[test]
    fn whoever_finds_its_own_live_lease_has_it() {
        let seen = scene::seen(CommitKind::Publish);
        let begin = |owner: &str| Begin {
            puzzle_id: scene::puzzle_id(),
            owner: OwnerId::new(owner),
            ttl_ms: 180_000,
            by_hand: false,
        };
        let lease = Lease {
            key: LeaseKey::Publication(scene::puzzle_id()),
            owner: OwnerId::new("me"),
            fence: Fence::new(4),
            expires_at: seen.now.plus(1),
        };
        assert_eq!(seen.lease_of(&begin("me")), Some(lease.clone()));
        assert_eq!(seen.lease_of(&begin("you")), None);
        assert_eq!(Preflight { lease: None, ..seen.clone() }.lease_of(&begin("me")), None);

        let of_image =
            ImagePreflight { now: seen.now, lease: seen.lease, image_url: None, image: seen.image };
        let lease = Lease { key: LeaseKey::Image(scene::puzzle_id()), ..lease };
        assert_eq!(of_image.lease_of(scene::puzzle_id(), &OwnerId::new("me")), Some(lease));
        assert_eq!(of_image.lease_of(scene::puzzle_id(), &OwnerId::new("you")), None);
    }

    #[test]
    fn the_photo_is_that_of_the_puzzle_as_it_is_now() {
        let seen = scene::seen(CommitKind::Publish);
        assert_eq!(seen.photo(), Some(&scene::photo()));
        for image_url in [None, Some("https://photos.example/new.png".to_owned())] {
            let puzzle = seen.puzzle.clone().map(|puzzle| Puzzle { image_url, ..puzzle });
            assert_eq!(Preflight { puzzle, ..seen.clone() }.photo(), None);
        }
        assert_eq!(Preflight { image: None, ..seen }.photo(), None);
    }

    #[test]
    fn without_a_page_there_is_no_version() {
        assert_eq!(scene::seen(CommitKind::Publish).content_version(), ContentVersion::NONE);
        assert_eq!(scene::seen(CommitKind::Update).content_version(), ContentVersion::new(3));
    }
}
