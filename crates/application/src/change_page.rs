//! An operator's changes: withdraw, reinstate, republish.
//!
//! An operator does not wait for a worker: the lease is taken over at once, and the
//! fence makes that safe, since whoever held it writes nothing any more.

use fencepost_domain::{
    commit::Change,
    id::PuzzleId,
    lease::Lease,
    ledger::{Item, ItemState},
    outcome::Outcome,
    page::AnswerPage,
    puzzle::Puzzle,
};
use fencepost_ports::{Begin, Preflight, StoreError};

use crate::{
    ActionError, ItemReport, Site, land::Proposal, prepare_image::ImageOutcome, publish_item::report_of,
    render::render,
};

/// How often a withdrawal is tried that somebody else got ahead of.
const WITHDRAW_TRIES: u32 = 5;

impl Site {
    /// Takes a page back, leaving a tombstone; or takes back an item that is not out yet.
    ///
    /// Nothing but a withdrawal ends a withdrawal: when somebody else changes the page at
    /// the same moment, it is tried again on what stands then.
    pub async fn withdraw(&self, puzzle_id: PuzzleId) -> Result<ItemReport, ActionError> {
        let mut tried = 0;
        loop {
            tried += 1;
            let report = self.try_withdraw(puzzle_id).await?;
            let overtaken = matches!(report.outcome, Outcome::LeaseLost | Outcome::Conflict);
            if !overtaken || tried == WITHDRAW_TRIES {
                return Ok(self.counted(report));
            }
            self.back_off(tried).await;
        }
    }

    async fn try_withdraw(&self, puzzle_id: PuzzleId) -> Result<ItemReport, ActionError> {
        if self.state_of(puzzle_id).await? == ItemState::Withdrawn {
            return Ok(ItemReport::new(puzzle_id, Outcome::Unchanged));
        }
        let hold = self.take_over(puzzle_id).await?;
        match (hold.item.state, &hold.page) {
            (ItemState::Published, Some(_)) => self.change(hold, Change::Withdraw).await,
            (ItemState::Withdrawn, _) => self.leave(hold, Outcome::Unchanged).await,
            (_, None) => {
                let item = self.persistently(|| self.stores.ledger.withdraw_unpublished(&hold.lease)).await?;
                Ok(unpublished_report(puzzle_id, item, ItemState::Withdrawn, Outcome::Withdrawn))
            }
            (_, Some(_)) => self.leave(hold, Outcome::Conflict).await,
        }
    }

    /// Shows a withdrawn page again; or schedules a withdrawn item again. An item that is
    /// not withdrawn is left in whosever hands it is.
    pub async fn reinstate(&self, puzzle_id: PuzzleId) -> Result<ItemReport, ActionError> {
        self.try_reinstate(puzzle_id).await.map(|report| self.counted(report))
    }

    async fn try_reinstate(&self, puzzle_id: PuzzleId) -> Result<ItemReport, ActionError> {
        if self.state_of(puzzle_id).await? != ItemState::Withdrawn {
            return Ok(ItemReport::new(puzzle_id, Outcome::Unchanged));
        }
        let hold = self.take_over(puzzle_id).await?;
        match (hold.item.state, &hold.page) {
            (ItemState::Withdrawn, Some(_)) => self.change(hold, Change::Reinstate).await,
            (ItemState::Withdrawn, None) => {
                let item =
                    self.persistently(|| self.stores.ledger.reinstate_unpublished(&hold.lease)).await?;
                Ok(unpublished_report(puzzle_id, item, ItemState::Scheduled, Outcome::Reinstated))
            }
            _ => self.leave(hold, Outcome::Unchanged).await,
        }
    }

    /// Brings a page up to the bank's present row; tries an item that is not out yet at
    /// once, `blocked` or not, but never before it is due.
    pub async fn republish(&self, puzzle_id: PuzzleId) -> Result<ItemReport, ActionError> {
        self.try_republish(puzzle_id).await.map(|report| self.counted(report))
    }

    async fn try_republish(&self, puzzle_id: PuzzleId) -> Result<ItemReport, ActionError> {
        match self.state_of(puzzle_id).await? {
            ItemState::Published => {
                let hold = self.take_over(puzzle_id).await?;
                self.update(hold).await
            }
            ItemState::Withdrawn => Ok(ItemReport::new(puzzle_id, Outcome::Conflict)
                .because("the item is withdrawn; reinstate it first")),
            ItemState::Scheduled | ItemState::Processing | ItemState::Blocked => {
                let hold = self.take_over(puzzle_id).await?;
                self.persistently(|| self.stores.ledger.retry(puzzle_id)).await?;
                // The claim is re-entrant: what was taken over is taken in hand.
                Ok(self.publish_item(puzzle_id, &hold.lease.owner).await?)
            }
        }
    }

    async fn state_of(&self, puzzle_id: PuzzleId) -> Result<ItemState, ActionError> {
        let detail = self.persistently(|| self.stores.ledger.item(puzzle_id)).await?;
        let item = detail.and_then(|detail| detail.preflight.item);
        item.map(|item| item.state).ok_or(ActionError::UnknownPuzzle(puzzle_id))
    }

    async fn update(&self, hold: Hold) -> Result<ItemReport, ActionError> {
        let Some(page) = &hold.page else { return self.leave(hold, Outcome::Conflict).await };
        let image_key = match self.prepare_image(hold.puzzle.puzzle_id, &hold.lease.owner).await? {
            ImageOutcome::Ready(key) => Some(key),
            ImageOutcome::NotWanted => None,
            ImageOutcome::Held => {
                return self
                    .leave_because(hold, Outcome::LeaseHeld, "another worker is fetching the photo")
                    .await;
            }
            ImageOutcome::Changed => {
                return self.leave_because(hold, Outcome::Conflict, "the photo was replaced meanwhile").await;
            }
            ImageOutcome::Failed(failure) => {
                return self.leave_because(hold, Outcome::Blocked, &failure.message).await;
            }
        };
        let content = render(&hold.puzzle, image_key);
        if content == page.content {
            return self.leave(hold, Outcome::Unchanged).await;
        }
        match self.renewed(&hold.lease).await? {
            Some(lease) => self.change(Hold { lease, ..hold }, Change::Update(content)).await,
            None => Ok(ItemReport::new(hold.puzzle.puzzle_id, Outcome::LeaseLost)),
        }
    }

    async fn change(&self, hold: Hold, change: Change) -> Result<ItemReport, ActionError> {
        let puzzle_id = hold.puzzle.puzzle_id;
        let proposal = Proposal {
            change,
            bank_version: hold.puzzle.bank_version,
            content_version: hold.seen.content_version(),
            due_at: None,
            lease: hold.lease,
        };
        let report = report_of(puzzle_id, &proposal.change, self.land(&proposal).await?);
        let landed = report.revision.is_some();
        if !landed && !matches!(report.outcome, Outcome::LeaseLost | Outcome::Unknown) {
            self.release(&proposal.lease).await?;
        }
        Ok(report)
    }

    async fn leave(&self, hold: Hold, outcome: Outcome) -> Result<ItemReport, ActionError> {
        self.release(&hold.lease).await?;
        let version = hold.page.as_ref().map(|page| page.content_version);
        Ok(ItemReport { content_version: version, ..ItemReport::new(hold.puzzle.puzzle_id, outcome) })
    }

    async fn leave_because(
        &self,
        hold: Hold,
        outcome: Outcome,
        detail: &str,
    ) -> Result<ItemReport, ActionError> {
        Ok(self.leave(hold, outcome).await?.because(detail))
    }

    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        self.persistently(|| self.stores.leases.release(lease)).await.map(drop)
    }

    async fn take_over(&self, puzzle_id: PuzzleId) -> Result<Hold, ActionError> {
        let begin = Begin { puzzle_id, owner: self.new_owner(), ttl_ms: self.settings.lease_ms };
        let seen = self.persistently(|| self.stores.ledger.take_over(&begin)).await?;
        let lease = seen.lease_of(&begin);
        match (lease, seen.item.clone(), seen.puzzle.clone()) {
            (Some(lease), Some(item), Some(puzzle)) => {
                Ok(Hold { lease, item, puzzle, page: seen.page.clone(), seen })
            }
            _ => Err(ActionError::UnknownPuzzle(puzzle_id)),
        }
    }
}

/// An item that an operator has in hand.
struct Hold {
    lease: Lease,
    item: Item,
    puzzle: Puzzle,
    page: Option<AnswerPage>,
    seen: Preflight,
}

fn unpublished_report(
    puzzle_id: PuzzleId,
    item: Option<Item>,
    wanted: ItemState,
    outcome: Outcome,
) -> ItemReport {
    let reached = item.is_some_and(|item| item.state == wanted);
    ItemReport::new(puzzle_id, if reached { outcome } else { Outcome::LeaseLost })
}
