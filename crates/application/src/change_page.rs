//! An operator's changes: withdraw, reinstate, republish.
//!
//! An operator does not wait for a worker: the lease is taken over at once, and the
//! fence makes that safe, since whoever held it writes nothing any more.

use fencepost_domain::{
    action::{ActionKind, Actor, Deed, Entry},
    commit::Change,
    id::{ContentVersion, PuzzleId},
    lease::Lease,
    ledger::{Item, ItemState},
    outcome::Outcome,
    page::AnswerPage,
    puzzle::Puzzle,
};
use fencepost_ports::{Begin, Preflight, StoreError};

use crate::{
    ActionError, Expected, ItemReport, Site, land::Proposal, prepare_image::ImageOutcome,
    publish_item::report_of, render::render,
};

/// How often a withdrawal is tried that somebody else got ahead of.
const WITHDRAW_TRIES: u32 = 5;

impl Site {
    /// Takes a page back, leaving a tombstone; or takes back an item that is not out yet.
    ///
    /// Nothing but a withdrawal ends a withdrawal: when somebody else changes the page at
    /// the same moment, it is tried again on what stands then. Unless it is only wanted of
    /// what was seen.
    pub async fn withdraw(
        &self,
        by: &Actor,
        puzzle_id: PuzzleId,
        expected: Expected,
    ) -> Result<ItemReport, ActionError> {
        let entry = self.entry(by, ActionKind::Withdraw);
        let mut tried = 0;
        loop {
            tried += 1;
            let report = self.try_withdraw(&entry, puzzle_id, expected).await?;
            let overtaken = matches!(report.outcome, Outcome::LeaseLost | Outcome::Conflict);
            if !overtaken || tried == WITHDRAW_TRIES || expected != Expected::ANYTHING {
                return Ok(self.counted(report));
            }
            self.patience().back_off(tried).await;
        }
    }

    async fn try_withdraw(
        &self,
        entry: &Entry,
        puzzle_id: PuzzleId,
        expected: Expected,
    ) -> Result<ItemReport, ActionError> {
        let (state, version) = self.state_of(puzzle_id).await?;
        if state == ItemState::Withdrawn {
            return Ok(ItemReport::new(puzzle_id, Outcome::Unchanged));
        }
        if !expected.is(state, version) {
            return Ok(not_as_expected(puzzle_id, state, version));
        }
        let hold = self.take_over(puzzle_id).await?;
        match (hold.item.state, &hold.page) {
            (ItemState::Withdrawn, _) => self.leave(hold, Outcome::Unchanged).await,
            _ if !hold.is(expected) => self.leave_unexpected(hold).await,
            (ItemState::Published, Some(_)) => self.change(hold, Change::Withdraw, &entry.deed).await,
            (_, None) => {
                let withdraw = || self.stores.ledger.withdraw_unpublished(&hold.lease, entry);
                let item = self.persistently(withdraw).await?;
                Ok(unpublished_report(puzzle_id, item, ItemState::Withdrawn, Outcome::Withdrawn))
            }
            (_, Some(_)) => self.leave(hold, Outcome::Conflict).await,
        }
    }

    /// Shows a withdrawn page again; or schedules a withdrawn item again. An item that is
    /// not withdrawn is left in whosever hands it is.
    pub async fn reinstate(
        &self,
        by: &Actor,
        puzzle_id: PuzzleId,
        expected: Expected,
    ) -> Result<ItemReport, ActionError> {
        self.try_reinstate(by, puzzle_id, expected).await.map(|report| self.counted(report))
    }

    async fn try_reinstate(
        &self,
        by: &Actor,
        puzzle_id: PuzzleId,
        expected: Expected,
    ) -> Result<ItemReport, ActionError> {
        let (state, version) = self.state_of(puzzle_id).await?;
        if state != ItemState::Withdrawn {
            return Ok(ItemReport::new(puzzle_id, Outcome::Unchanged));
        }
        if !expected.is(state, version) {
            return Ok(not_as_expected(puzzle_id, state, version));
        }
        let hold = self.take_over(puzzle_id).await?;
        let entry = self.entry(by, ActionKind::Reinstate);
        match (hold.item.state, &hold.page) {
            (ItemState::Withdrawn, _) if !hold.is(expected) => self.leave_unexpected(hold).await,
            (ItemState::Withdrawn, Some(_)) => self.change(hold, Change::Reinstate, &entry.deed).await,
            (ItemState::Withdrawn, None) => {
                let reinstate = || self.stores.ledger.reinstate_unpublished(&hold.lease, &entry);
                let item = self.persistently(reinstate).await?;
                Ok(unpublished_report(puzzle_id, item, ItemState::Scheduled, Outcome::Reinstated))
            }
            _ => self.leave(hold, Outcome::Unchanged).await,
        }
    }

    /// Brings a page up to the bank's present row; tries an item that is not out yet at
    /// once, `blocked` or not, too late for jobs or not, but never before it is due.
    pub async fn republish(
        &self,
        by: &Actor,
        puzzle_id: PuzzleId,
        expected: Expected,
    ) -> Result<ItemReport, ActionError> {
        self.try_republish(by, puzzle_id, expected).await.map(|report| self.counted(report))
    }

    async fn try_republish(
        &self,
        by: &Actor,
        puzzle_id: PuzzleId,
        expected: Expected,
    ) -> Result<ItemReport, ActionError> {
        let (state, version) = self.state_of(puzzle_id).await?;
        if state == ItemState::Withdrawn {
            return Ok(ItemReport::new(puzzle_id, Outcome::Conflict)
                .because("the item is withdrawn; reinstate it first"));
        }
        if !expected.is(state, version) {
            return Ok(not_as_expected(puzzle_id, state, version));
        }
        let hold = self.take_over(puzzle_id).await?;
        if !hold.is(expected) {
            return self.leave_unexpected(hold).await;
        }
        let deed = by.does(ActionKind::Republish);
        match state {
            ItemState::Published | ItemState::Withdrawn => self.update(hold, &deed).await,
            ItemState::Scheduled | ItemState::Processing | ItemState::Blocked => {
                let entry = self.entry(by, ActionKind::Retry);
                self.persistently(|| self.stores.ledger.retry(puzzle_id, &entry)).await?;
                // The claim is re-entrant: what was taken over is taken in hand.
                Ok(self.publish_for(puzzle_id, &hold.lease.owner, Some(&deed)).await?)
            }
        }
    }

    /// The state of an item, and the version of its page.
    async fn state_of(&self, puzzle_id: PuzzleId) -> Result<(ItemState, ContentVersion), ActionError> {
        let seen = self.persistently(|| self.stores.ledger.look(puzzle_id)).await?;
        let item = seen.item.as_ref().ok_or(ActionError::UnknownPuzzle(puzzle_id))?;
        Ok((item.state, seen.content_version()))
    }

    async fn update(&self, hold: Hold, deed: &Deed) -> Result<ItemReport, ActionError> {
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
            Some(lease) => self.change(Hold { lease, ..hold }, Change::Update(content), deed).await,
            None => Ok(ItemReport::new(hold.puzzle.puzzle_id, Outcome::LeaseLost)),
        }
    }

    async fn change(&self, hold: Hold, change: Change, deed: &Deed) -> Result<ItemReport, ActionError> {
        let puzzle_id = hold.puzzle.puzzle_id;
        let proposal = Proposal {
            change,
            bank_version: hold.puzzle.bank_version,
            content_version: hold.seen.content_version(),
            due_at: None,
            lease: hold.lease,
            by: Some(deed.clone()),
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

    async fn leave_unexpected(&self, hold: Hold) -> Result<ItemReport, ActionError> {
        let report = not_as_expected(hold.puzzle.puzzle_id, hold.item.state, hold.seen.content_version());
        self.release(&hold.lease).await?;
        Ok(report)
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
        let begin =
            Begin { puzzle_id, owner: self.new_owner(), ttl_ms: self.settings.lease_ms, by_hand: true };
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

impl Hold {
    fn is(&self, expected: Expected) -> bool {
        expected.is(self.item.state, self.seen.content_version())
    }
}

/// The report of what was only wanted of an item as somebody has seen it.
fn not_as_expected(puzzle_id: PuzzleId, state: ItemState, version: ContentVersion) -> ItemReport {
    let page = if version == ContentVersion::NONE {
        "without a page".to_owned()
    } else {
        format!("with its page at version {version}")
    };
    let why = format!("somebody has changed it meanwhile: it is {} now, {page}", state.as_str());
    ItemReport::new(puzzle_id, Outcome::Conflict).because(why)
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
