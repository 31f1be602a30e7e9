//! A dry run: what a job would do, told by the store itself, and nothing done.
//!
//! It goes through the same list, in the same order and with the same ends as a run. Where
//! the run would take an item in hand and commit, it sends both as one batch that fails. So
//! no rule is written a second time: the statements that would decide do decide, and are
//! undone. Nothing is left behind, neither a lease nor a heartbeat: a site whose jobs are
//! only ever rehearsed is a site whose jobs do not run, and should be seen as one.
//!
//! What was undone is not there for the next item. The quota is therefore counted on, inside
//! the batch of each item, and the site's revision in the report.
//!
//! A photo that is not stored is not fetched. Its item ends as the guard says, `conflict` by
//! `image_ready`, with the address that would have to be asked first. Whether it would come
//! out, nobody knows; what is told of items after it assumes that it does not.

use fencepost_domain::{
    commit::{Change, CommitOutcome},
    guard::Predicate,
    id::{OwnerId, PuzzleId},
    outcome::Outcome,
    quota::DailyQuota,
    rehearsal::Rehearsal,
    revision::Revision,
    time::{UnixMillis, UtcDay},
};
use fencepost_ports::{Begin, Job, Preflight, StoreError, StoreErrorKind};

use crate::{
    BudgetReport, DryRunReport, ItemReport, Site, Stop,
    explain::not_taken,
    publish_item::report_of,
    render::render,
    run_job::{Mode, count},
};

/// What the publications that were rehearsed so far would have changed for later ones.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    published: i64,
    /// How many of them on the newest day, and which that is.
    of_day: i64,
    day: Option<UtcDay>,
}

impl Earlier {
    fn count(&mut self, now: UnixMillis) {
        self.of_day = self.on(now) + 1;
        self.day = Some(now.utc_day());
        self.published += 1;
    }

    fn on(&self, now: UnixMillis) -> i64 {
        if self.day == Some(now.utc_day()) { self.of_day } else { 0 }
    }

    /// The row of the day as it would be by now.
    pub(crate) fn quota(&self, row: Option<DailyQuota>, now: UnixMillis, setting: i64) -> Option<DailyQuota> {
        DailyQuota::after(row, self.on(now), setting)
    }

    /// The site's revision as it would be by now.
    fn revision(&self, revision: Revision) -> Revision {
        Revision::new(revision.get() + self.published)
    }
}

impl Site {
    /// Tells what a run of a job would do now, and changes nothing. Photos of coming puzzles
    /// are not looked at.
    ///
    /// # Errors
    /// A store that does not even tell what is due; or one that kept what was only to be
    /// tried, and then nothing further is tried.
    pub async fn rehearse_job(&self, job: Job, stop: &Stop) -> Result<DryRunReport, StoreError> {
        let owner = self.new_owner();
        let moment = || self.stores.revisions.moment();
        let started = self.persistently(moment).await?;
        let kept = self.budget.keep(crate::cost::CLOSING_DRY);
        let mut mode = Mode::Dry(Earlier::default());
        let ended = self.publish_due(&owner, stop, &mut mode).await;
        drop(kept);
        let (items, interrupted) = ended?;
        let finished = self.persistently(moment).await?;
        let revision = match mode {
            Mode::Dry(earlier) => earlier.revision(finished.publication_revision),
            Mode::Real => finished.publication_revision,
        };
        Ok(DryRunReport {
            dry_run: true,
            job,
            utc_day: started.now.utc_day(),
            started_at: started.now,
            finished_at: finished.now,
            revision,
            counts: count(&items),
            items,
            interrupted,
            budget: BudgetReport::of(&self.budget),
        })
    }

    /// What [`Self::publish_item`] would report now.
    ///
    /// # Errors
    /// A store that is of no use at all; a budget that is used up; or a store that kept what
    /// was only to be tried.
    pub(crate) async fn rehearse_item(
        &self,
        puzzle_id: PuzzleId,
        owner: &OwnerId,
        earlier: &mut Earlier,
    ) -> Result<ItemReport, StoreError> {
        let seen = match self.persistently(|| self.stores.ledger.look(puzzle_id)).await {
            Ok(seen) => seen,
            Err(error) if error.kind() == StoreErrorKind::Corrupt => {
                return Ok(ItemReport::new(puzzle_id, Outcome::Blocked).because(error.to_string()));
            }
            Err(error) => return Err(error),
        };
        let Some(rehearsal) = self.rehearsal_of(&seen, puzzle_id, owner) else {
            return Ok(not_taken(puzzle_id, &seen));
        };
        let rehearsal = rehearsal.after(earlier.on(seen.now));
        match self.persistently(|| self.stores.ledger.rehearse(&rehearsal)).await {
            Ok(readback) => Ok(match readback.judge() {
                CommitOutcome::Landed { content_version, revision } => {
                    let revision = earlier.revision(revision);
                    earlier.count(seen.now);
                    let landed = CommitOutcome::Landed { content_version, revision };
                    report_of(puzzle_id, &Change::Publish(rehearsal.content), landed)
                }
                CommitOutcome::Refused { outcome, blocked_by } => {
                    refused(puzzle_id, &seen, outcome, blocked_by)
                }
            }),
            Err(error) if error.is_over_budget() || error.kind() == StoreErrorKind::NotUndone => Err(error),
            Err(error) => {
                let outcome = if error.is_passing() { Outcome::Unknown } else { Outcome::Blocked };
                Ok(ItemReport::new(puzzle_id, outcome).because(error.to_string()))
            }
        }
    }

    fn rehearsal_of(&self, seen: &Preflight, puzzle_id: PuzzleId, owner: &OwnerId) -> Option<Rehearsal> {
        let begin = Begin { puzzle_id, owner: owner.clone(), ttl_ms: self.settings.lease_ms, by_hand: false };
        let content = render(seen.puzzle.as_ref()?, seen.photo().cloned());
        Rehearsal::of(seen, begin, self.tokens.commit_token(), content, self.settings.daily_quota)
    }
}

/// The report of an item that was taken in hand and not committed. A run asks for a pause
/// and for the quota before it asks for the photo, and knows where to get that.
fn refused(
    puzzle_id: PuzzleId,
    seen: &Preflight,
    outcome: Outcome,
    blocked_by: Vec<Predicate>,
) -> ItemReport {
    let stands_still = |it: &Predicate| matches!(it, Predicate::QuotaLeft | Predicate::NotPaused);
    let missing = seen.photo().is_none();
    let is_expected = |it: &Predicate| stands_still(it) || missing && *it == Predicate::ImageReady;
    if blocked_by.is_empty() || !blocked_by.iter().all(is_expected) {
        // Something has changed since the look, as it may between claim and commit.
        return ItemReport::refused_as(puzzle_id, outcome, blocked_by);
    }
    let standstill: Vec<_> = blocked_by.iter().copied().filter(stands_still).collect();
    if !standstill.is_empty() {
        return ItemReport::refused(puzzle_id, standstill);
    }
    let address = seen.puzzle.as_ref().and_then(|puzzle| puzzle.image_url.as_deref()).unwrap_or_default();
    ItemReport::refused_as(puzzle_id, outcome, blocked_by)
        .because(format!("the photo is not stored; a run would fetch it first, from {address}"))
}
