//! The tables, as collections.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_domain::{
    action::LoggedAction,
    calendar,
    catch_up::CatchUp,
    commit::Receipt,
    episode::Episode,
    id::{CommitToken, ContentVersion, OwnerId, PuzzleId, ReportToken},
    image::{ImageKey, SourceImage},
    lease::{self, Lease, LeaseKey, LeaseRow},
    ledger::Item,
    outbox::OutboxEntry,
    page::AnswerPage,
    puzzle::Puzzle,
    quota::DailyQuota,
    results::{GameResult, SessionId, Slot},
    revision::Revision,
    time::{UnixMillis, UtcDay},
    visibility::{AnswerFacts, AnswerVisibility},
};

use crate::{LoggedRun, Snapshot};

/// Everything that is stored.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) leases: BTreeMap<LeaseKey, StoredLease>,
    pub(super) puzzles: BTreeMap<PuzzleId, StoredPuzzle>,
    pub(super) bank_edits: BTreeMap<CommitToken, StoredEdit>,
    pub(super) items: BTreeMap<PuzzleId, Item>,
    pub(super) pages: BTreeMap<PuzzleId, StoredPage>,
    pub(super) publication_revision: Revision,
    pub(super) bank_revision: i64,
    pub(super) paused: bool,
    /// In the order of their revisions.
    pub(super) receipts: Vec<Receipt>,
    pub(super) quotas: BTreeMap<UtcDay, DailyQuota>,
    pub(super) images: BTreeMap<PuzzleId, StoredImage>,
    /// The visibility calendar.
    pub(super) instants: BTreeSet<UnixMillis>,
    pub(super) results: BTreeMap<PuzzleId, BTreeMap<SessionId, StoredResult>>,
    /// In the order in which they were done.
    pub(super) actions: Vec<LoggedAction>,
    pub(super) catch_up: CatchUp,
    /// In the order in which they began.
    pub(super) runs: Vec<LoggedRun>,
    /// In the order of their numbers.
    pub(super) outbox: Vec<StoredEvent>,
    /// Up to which revision receipts were looked at for the outbox.
    pub(super) outbox_cursor: Option<Revision>,
    /// In the order of their numbers, which count from 1.
    pub(super) episodes: Vec<StoredEpisode>,
}

#[derive(Clone, Debug)]
pub(super) struct StoredLease {
    pub(super) row: LeaseRow,
    pub(super) updated_at: UnixMillis,
}

#[derive(Clone, Debug)]
pub(super) struct StoredPuzzle {
    pub(super) puzzle: Puzzle,
    pub(super) edit_token: CommitToken,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct StoredEdit {
    /// Its place in the order of imports.
    pub(super) number: i64,
    pub(super) inserted: i64,
    pub(super) updated: i64,
    pub(super) unchanged: i64,
    pub(super) edited_at: UnixMillis,
}

#[derive(Clone, Debug)]
pub(super) struct StoredPage {
    pub(super) page: AnswerPage,
    pub(super) commit_token: CommitToken,
}

#[derive(Clone, Debug)]
pub(super) struct StoredImage {
    pub(super) image: SourceImage,
    pub(super) next_attempt_at: UnixMillis,
    pub(super) updated_at: UnixMillis,
}

#[derive(Clone, Debug)]
pub(super) struct StoredResult {
    pub(super) slot: Slot,
    pub(super) result: GameResult,
    /// `None` for one that was not reported.
    pub(super) report_token: Option<ReportToken>,
    pub(super) created_at: UnixMillis,
}

#[derive(Clone, Debug)]
pub(super) struct StoredEvent {
    pub(super) entry: OutboxEntry,
    pub(super) claim: Option<Claim>,
}

#[derive(Clone, Debug)]
pub(super) struct StoredEpisode {
    pub(super) episode: Episode,
    pub(super) raised_by: OwnerId,
    pub(super) calm_since: Option<UnixMillis>,
    pub(super) cleared: Option<Cleared>,
}

/// When an episode ended, and who has noticed it.
#[derive(Clone, Debug)]
pub(super) struct Cleared {
    pub(super) at: UnixMillis,
    pub(super) by: OwnerId,
}

/// In whose hands an event is, or was.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) owner: OwnerId,
    pub(super) until: UnixMillis,
}

impl Default for State {
    fn default() -> Self {
        Self {
            leases: BTreeMap::new(),
            puzzles: BTreeMap::new(),
            bank_edits: BTreeMap::new(),
            items: BTreeMap::new(),
            pages: BTreeMap::new(),
            publication_revision: Revision::NONE,
            bank_revision: 0,
            paused: false,
            receipts: Vec::new(),
            quotas: BTreeMap::new(),
            images: BTreeMap::new(),
            instants: BTreeSet::new(),
            results: BTreeMap::new(),
            actions: Vec::new(),
            catch_up: CatchUp::default(),
            runs: Vec::new(),
            outbox: Vec::new(),
            outbox_cursor: None,
            episodes: Vec::new(),
        }
    }
}

impl State {
    pub(super) fn lease(&self, key: LeaseKey) -> Option<&LeaseRow> {
        self.leases.get(&key).map(|stored| &stored.row)
    }

    pub(super) fn set_lease(&mut self, key: LeaseKey, row: LeaseRow, now: UnixMillis) {
        self.leases.insert(key, StoredLease { row, updated_at: now });
    }

    /// Releases `lease` if it is still the holder's, live or not.
    pub(super) fn release(&mut self, lease: &Lease, now: UnixMillis) {
        if let Some(row) = lease::release(self.lease(lease.key), lease) {
            self.set_lease(lease.key, row, now);
        }
    }

    /// Whether `lease` still is its key's, live or not.
    pub(super) fn is_holder(&self, lease: &Lease) -> bool {
        self.lease(lease.key).is_some_and(|row| lease::is_holder(row, lease))
    }

    pub(super) fn puzzle(&self, id: PuzzleId) -> Option<&Puzzle> {
        self.puzzles.get(&id).map(|stored| &stored.puzzle)
    }

    /// The instants that a puzzle brings to the calendar, as things stand.
    pub(super) fn instants_of(&self, id: PuzzleId) -> Vec<UnixMillis> {
        let (puzzle, item) = (self.puzzle(id), self.items.get(&id));
        let schedule = puzzle.zip(item);
        schedule.map_or_else(Vec::new, |(puzzle, item)| {
            calendar::instants(puzzle.opens_at, puzzle.playable_until, item.due_at).to_vec()
        })
    }

    /// Puts the instants of a puzzle into the calendar.
    pub(super) fn record_instants(&mut self, id: PuzzleId) {
        self.instants.extend(self.instants_of(id));
    }

    pub(super) fn page(&self, id: PuzzleId) -> Option<&AnswerPage> {
        self.pages.get(&id).map(|stored| &stored.page)
    }

    pub(super) fn content_version(&self, id: PuzzleId) -> ContentVersion {
        self.page(id).map_or(ContentVersion::NONE, |page| page.content_version)
    }

    pub(super) fn quota(&self, now: UnixMillis) -> Option<DailyQuota> {
        self.quotas.get(&now.utc_day()).copied()
    }

    pub(super) fn image(&self, id: PuzzleId) -> Option<&SourceImage> {
        self.images.get(&id).map(|stored| &stored.image)
    }

    /// The stored photo of a puzzle, if it is that of its present address.
    pub(super) fn ready_image(&self, puzzle: &Puzzle) -> Option<&ImageKey> {
        self.image(puzzle.puzzle_id)?.ready_for(puzzle.image_url.as_deref()?)
    }

    /// What a reader may know of an answer; `None` for a puzzle that the bank does not have.
    pub(super) fn facts(&self, id: PuzzleId) -> Option<AnswerFacts> {
        let (puzzle, item) = (self.puzzle(id)?, self.items.get(&id)?);
        Some(AnswerFacts {
            opens_at: puzzle.opens_at,
            due_at: item.due_at,
            state: item.state,
            has_page: self.pages.contains_key(&id),
        })
    }

    /// The pages that everybody may see at `now`.
    pub(super) fn public_pages(&self, now: UnixMillis) -> impl Iterator<Item = (PuzzleId, &AnswerPage)> {
        let is_public =
            move |id| self.facts(id).is_some_and(|it| it.visibility(now) == AnswerVisibility::Public);
        self.pages.iter().filter(move |(id, _)| is_public(**id)).map(|(id, stored)| (*id, &stored.page))
    }

    /// `value`, and the revisions that it was read with.
    pub(super) fn snapshot<T>(&self, value: T) -> Snapshot<T> {
        Snapshot {
            publication_revision: self.publication_revision,
            bank_revision: self.bank_revision,
            value,
            unreadable: Vec::new(),
        }
    }
}
