//! Publishing one item: claim, look, render, commit.
//!
//! Two round trips to the store in the common case. Whatever happens between them is
//! caught by the guard of the second: the lease may change hands, the bank may be
//! edited, the photo replaced, the site paused. Every end without a commit gives the
//! item back and releases the lease in one guarded batch, except the loss of the lease
//! (the item is another worker's now) and a store that does not answer (the lease ends by
//! itself, and the next run settles it). A commit of unknown fate does not stand in the way
//! of that: if it lands first, nothing is in hand any more that could be given back, and if
//! it arrives later, it finds the lease released and writes nothing.

use fencepost_domain::{
    action::Deed,
    commit::{Change, CommitOutcome},
    guard::Predicate,
    id::{OwnerId, PuzzleId},
    image::{FailureKind, ImageKey},
    lease::Lease,
    ledger::{Ending, Item, ItemState},
    outcome::Outcome,
    puzzle::Puzzle,
};
use fencepost_ports::{Begin, Preflight, StoreError, StoreErrorKind};

use crate::{
    ItemReport, Site, boxed::Boxed, cost, explain::not_taken, land::Proposal, prepare_image::ImageOutcome,
    render::render,
};

/// How long an item waits for a photo that another worker is fetching, in milliseconds.
const WAIT_FOR_IMAGE_MS: i64 = 1_000;

impl Site {
    /// Publishes one item, if it is due and nobody else has it in hand.
    ///
    /// # Errors
    /// A store that is of no use at all; or a budget that is used up, and then nothing was
    /// written, and the item stands as it stood before. A store that gave no answer, or had no
    /// time, is the outcome `unknown`; one that definitely refused is a failure of the item.
    pub async fn publish_item(&self, puzzle_id: PuzzleId, owner: &OwnerId) -> Result<ItemReport, StoreError> {
        self.publish_for(puzzle_id, owner, None).await
    }

    /// Publishes one item, for a job or as the deed of a person: who may have what jobs do
    /// not catch up with any more.
    pub(crate) fn publish_for<'a>(
        &'a self,
        puzzle_id: PuzzleId,
        owner: &'a OwnerId,
        by: Option<&'a Deed>,
    ) -> Boxed<'a, Result<ItemReport, StoreError>> {
        Box::pin(self.claim_and_publish(puzzle_id, owner, by))
    }

    async fn claim_and_publish(
        &self,
        puzzle_id: PuzzleId,
        owner: &OwnerId,
        by: Option<&Deed>,
    ) -> Result<ItemReport, StoreError> {
        let begin =
            Begin { puzzle_id, owner: owner.clone(), ttl_ms: self.settings.lease_ms, by_hand: by.is_some() };
        let seen = match self.persistently(|| self.stores.ledger.begin(&begin)).await {
            Ok(seen) => seen,
            Err(error) if error.kind() == StoreErrorKind::Corrupt => {
                return self.block_unreadable(&begin, error).await;
            }
            Err(error) => return Err(error),
        };
        let (Some(lease), Some(item), Some(puzzle)) = (seen.lease_of(&begin), &seen.item, &seen.puzzle)
        else {
            return Ok(not_taken(puzzle_id, &seen));
        };
        if item.state != ItemState::Processing {
            return self.give_back(&lease, &Ending::Restore, not_taken(puzzle_id, &seen)).await;
        }
        match self.publish_held(&seen, item, puzzle, &lease, by).await {
            Err(error) if error.is_over_budget() => self.break_off(&lease, error).await,
            // Whatever was on its way finds the lease released, or has landed.
            Err(error) if error.is_passing() => {
                let report = ItemReport::new(puzzle_id, Outcome::Unknown).because(error.to_string());
                self.give_back(&lease, &Ending::Restore, report).await
            }
            Err(error) => {
                let report = ItemReport::new(puzzle_id, Outcome::Blocked).because(error.to_string());
                self.give_back(&lease, &Ending::after_failure(item.attempts, &error.to_string()), report)
                    .await
            }
            answer => answer,
        }
    }

    async fn publish_held(
        &self,
        seen: &Preflight,
        item: &Item,
        puzzle: &Puzzle,
        lease: &Lease,
        by: Option<&Deed>,
    ) -> Result<ItemReport, StoreError> {
        let puzzle_id = puzzle.puzzle_id;
        let standstill = self.standstill(seen.paused, seen.quota);
        if !standstill.is_empty() {
            return self.give_back(lease, &Ending::Restore, ItemReport::refused(puzzle_id, standstill)).await;
        }
        match self.image_for(puzzle, seen, lease).await? {
            Photo::Is { key, lease } => self.publish_rendered(seen, puzzle, key, lease, by).await,
            Photo::LeaseLost => Ok(ItemReport::new(puzzle_id, Outcome::LeaseLost)),
            Photo::IsNot(outcome) => {
                let (ending, report) = without_photo(item, puzzle_id, outcome);
                self.give_back(lease, &ending, report).await
            }
        }
    }

    /// A row that cannot be read is nothing that another attempt could mend. The claim
    /// has succeeded before the row was read, so the lease is claimed once more to learn
    /// its fence, and the item given back.
    async fn block_unreadable(&self, begin: &Begin, error: StoreError) -> Result<ItemReport, StoreError> {
        let claim = || self.stores.leases.claim(begin.key(), &begin.owner, begin.ttl_ms);
        let row = self.persistently(claim).await?;
        if row.owner != begin.owner {
            return Err(error);
        }
        let lease =
            Lease { key: begin.key(), owner: row.owner, fence: row.fence, expires_at: row.expires_at };
        let ending = Ending::Block { reason: format!("{error}; mend the row, then republish") };
        let report = ItemReport::new(begin.puzzle_id, Outcome::Blocked).because(error.to_string());
        self.give_back(&lease, &ending, report).await
    }

    async fn publish_rendered(
        &self,
        seen: &Preflight,
        puzzle: &Puzzle,
        image_key: Option<ImageKey>,
        lease: Lease,
        by: Option<&Deed>,
    ) -> Result<ItemReport, StoreError> {
        let proposal = Proposal {
            change: Change::Publish(render(puzzle, image_key)),
            bank_version: puzzle.bank_version,
            content_version: seen.content_version(),
            due_at: seen.item.as_ref().map(|item| item.due_at),
            lease,
            by: by.cloned(),
        };
        let report = report_of(puzzle.puzzle_id, &proposal.change, self.land(&proposal).await?);
        match report.outcome {
            Outcome::Published | Outcome::LeaseLost => Ok(report),
            _ => self.give_back(&proposal.lease, &Ending::Restore, report).await,
        }
    }

    /// The puzzle's photo, fetched if need be, and the lease that is still in hand then.
    async fn image_for(&self, puzzle: &Puzzle, seen: &Preflight, lease: &Lease) -> Result<Photo, StoreError> {
        let Some(image_url) = &puzzle.image_url else {
            return Ok(Photo::Is { key: None, lease: lease.clone() });
        };
        if let Some(key) = seen.image.as_ref().and_then(|image| image.ready_for(image_url)) {
            return Ok(Photo::Is { key: Some(key.clone()), lease: lease.clone() });
        }
        let kept = self.budget.keep(cost::AFTER_PHOTO);
        let prepared = self.prepare_image(puzzle.puzzle_id, &lease.owner).await?;
        drop(kept);
        match prepared {
            ImageOutcome::Ready(key) => Ok(match self.renewed(lease).await? {
                Some(lease) => Photo::Is { key: Some(key), lease },
                None => Photo::LeaseLost,
            }),
            outcome => Ok(Photo::IsNot(outcome)),
        }
    }

    /// A download takes its time: whoever comes back from one renews or stops.
    pub(crate) async fn renewed(&self, lease: &Lease) -> Result<Option<Lease>, StoreError> {
        self.persistently(|| self.stores.leases.renew(lease, self.settings.lease_ms)).await
    }

    async fn give_back(
        &self,
        lease: &Lease,
        ending: &Ending,
        report: ItemReport,
    ) -> Result<ItemReport, StoreError> {
        match self.finish(lease, ending).await {
            Ok(()) => Ok(report),
            // It was given back, and cannot be read back.
            Err(error) if error.kind() == StoreErrorKind::Corrupt => Ok(report),
            // The lease's expiry gives the item back as well, only later.
            Err(error) if error.is_passing() || error.is_over_budget() => {
                Ok(ItemReport::new(report.puzzle_id, Outcome::Unknown).because(error.to_string()))
            }
            Err(error) => Err(error),
        }
    }

    /// The budget is used up, which is no failure of the item: it is given back as it was.
    async fn break_off(&self, lease: &Lease, exhausted: StoreError) -> Result<ItemReport, StoreError> {
        match self.finish(lease, &Ending::Restore).await {
            Ok(()) => Err(exhausted),
            Err(error) => {
                let detail = format!("{exhausted}; and the item could not be given back: {error}");
                Ok(ItemReport::new(lease.key.puzzle_id(), Outcome::Unknown).because(detail))
            }
        }
    }

    /// This is what the greater part of what a run keeps for its end is kept for.
    async fn finish(&self, lease: &Lease, ending: &Ending) -> Result<(), StoreError> {
        let _kept = self.budget.keep_only(cost::FINISH_RUN);
        self.persistently(|| self.stores.ledger.finish(lease, ending)).await.map(drop)
    }
}

/// What a publisher has in hand after it asked for a photo.
enum Photo {
    Is { key: Option<ImageKey>, lease: Lease },
    IsNot(ImageOutcome),
    LeaseLost,
}

/// The report of a commit.
pub(crate) fn report_of(puzzle_id: PuzzleId, change: &Change, outcome: CommitOutcome) -> ItemReport {
    match outcome {
        CommitOutcome::Landed { content_version, revision } => ItemReport {
            content_version: Some(content_version),
            revision: Some(revision),
            ..ItemReport::new(puzzle_id, change.kind().outcome())
        },
        CommitOutcome::Refused { outcome, blocked_by } => {
            ItemReport::refused_as(puzzle_id, outcome, blocked_by)
        }
    }
}

/// How an attempt ends that has no photo to show.
fn without_photo(item: &Item, puzzle_id: PuzzleId, outcome: ImageOutcome) -> (Ending, ItemReport) {
    let report = |outcome| ItemReport::new(puzzle_id, outcome);
    match outcome {
        ImageOutcome::Held => (
            Ending::Wait { delay_ms: WAIT_FOR_IMAGE_MS },
            report(Outcome::LeaseHeld).because("another worker is fetching the photo"),
        ),
        ImageOutcome::Failed(failure) => {
            let ending = match failure.kind {
                FailureKind::Passing => Ending::after_failure(item.attempts, &failure.message),
                FailureKind::Permanent => Ending::Block { reason: failure.message.clone() },
            };
            let report = report(Outcome::Blocked).because(failure.message);
            (ending, ItemReport { blocked_by: vec![Predicate::ImageReady], ..report })
        }
        ImageOutcome::Ready(_) | ImageOutcome::NotWanted | ImageOutcome::Changed => (
            Ending::Restore,
            report(Outcome::Conflict).because("the puzzle's photo was replaced while it was fetched"),
        ),
    }
}
