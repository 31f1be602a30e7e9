//! The store: its rows, and the batches that it runs.
//!
//! A batch is one atomic step, as it is on D1 and under `BEGIN IMMEDIATE`. Inside, it is the
//! list of its statements, each with the condition that it has in SQL, so that a condition can
//! be taken out and the others stay as they are.
//!
//! Some columns here are not in any table: who held the lease when a receipt was written, and
//! who had given the item back by then. They are what an onlooker who sees everything would
//! write down. No statement reads them.

use crate::{
    flaw::{Flaw, Flaws},
    message::{Attempt, Hold, Message, Owner, Task, Token},
};

/// The lease of the item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The last holder.
    pub owner: Owner,
    /// The last fence.
    pub fence: u8,
    /// Neither expired nor released.
    pub live: bool,
}

/// Where the item stands. It is due; and it is never `blocked`, which takes a failure that is
/// not the protocol's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Item {
    /// In nobody's hands.
    #[default]
    Scheduled,
    /// A worker has it in hand, or had when it died.
    Processing,
    /// Its page is public.
    Published,
    /// Taken back.
    Withdrawn,
}

/// The page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Page {
    /// The attempt that wrote it last.
    pub token: Token,
    /// 1 at first.
    pub version: u8,
    /// Whether it is a tombstone.
    pub withdrawn: bool,
}

/// The proof of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Receipt {
    /// The attempt that landed.
    pub token: Token,
    /// What changed.
    pub task: Task,
    /// Under which fence.
    pub fence: u8,
    /// The page's version after it.
    pub version: u8,
    /// The site's revision after it.
    pub revision: u8,
    /// What the onlooker saw: the writer held the lease, and it was live.
    pub by_holder: bool,
    /// What the onlooker saw: the writer had given the item back before.
    pub after_giving_back: bool,
}

/// Everything that is stored about one item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Store {
    /// The row of the lease table.
    pub lease: Option<Lease>,
    /// The row of the ledger.
    pub item: Item,
    /// The row of the pages.
    pub page: Option<Page>,
    /// The site's revision.
    pub revision: u8,
    /// Every receipt, oldest first.
    pub receipts: Vec<Receipt>,
    /// How many pages the day's quota has counted.
    pub counted: u8,
    /// What the onlooker saw: who gave the item back while it was theirs.
    pub given_back: Vec<Owner>,
}

/// The store refused the whole batch, and nothing of it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raised;

impl Store {
    /// Runs the batch of a message.
    ///
    /// # Errors
    /// A constraint or an assertion that does not hold; then nothing has changed.
    pub fn run(&mut self, message: &Message, flaws: Flaws) -> Result<(), Raised> {
        match message {
            Message::Claim(owner) => self.claim(*owner, flaws),
            Message::TakeOver(owner) => self.take_over(*owner),
            Message::Commit(attempt) => return self.commit(attempt, flaws),
            Message::GiveBack(hold) => self.give_back(*hold, flaws),
            Message::MoveWithoutPage(hold) => self.move_without_page(*hold, flaws),
            Message::Release(hold) => self.release(*hold),
        }
        Ok(())
    }

    /// The lease runs out.
    pub fn expire(&mut self) {
        if let Some(lease) = &mut self.lease {
            lease.live = false;
        }
    }

    /// Whether the lease is `owner`'s, and live.
    pub fn lease_of(&self, owner: Owner) -> Option<Lease> {
        self.lease.filter(|lease| lease.owner == owner && lease.live)
    }

    /// The version of the page, 0 without one.
    pub fn version(&self) -> u8 {
        self.page.map_or(0, |page| page.version)
    }

    /// Whether the page carries this token.
    pub fn carries(&self, token: Token) -> bool {
        self.page.is_some_and(|page| page.token == token)
    }

    /// Whether this is held, and the lease is live.
    pub fn is_live_for(&self, hold: Hold) -> bool {
        self.is_held(hold) && self.lease.is_some_and(|lease| lease.live)
    }

    fn claim(&mut self, owner: Owner, flaws: Flaws) {
        let runnable = match self.item {
            Item::Scheduled => true,
            Item::Processing => !flaws.has(Flaw::ProcessingPassedOver),
            Item::Published | Item::Withdrawn => false,
        };
        if !runnable {
            return;
        }
        let free = self.lease.is_none_or(|lease| !lease.live || lease.owner == owner);
        if free || flaws.has(Flaw::LiveLeaseTaken) {
            let fence = match self.lease {
                Some(lease) if lease.live && lease.owner == owner => lease.fence,
                Some(lease) if flaws.has(Flaw::FenceUnraised) => lease.fence,
                Some(lease) => lease.fence + 1,
                None => 1,
            };
            self.lease = Some(Lease { owner, fence, live: true });
        }
        if self.item == Item::Scheduled && self.lease_of(owner).is_some() {
            self.item = Item::Processing;
        }
    }

    fn take_over(&mut self, owner: Owner) {
        let fence = self.lease.map_or(1, |lease| lease.fence + 1);
        self.lease = Some(Lease { owner, fence, live: true });
    }

    /// Liveness is not asked: as long as nobody has taken over, giving back harms nobody.
    fn is_held(&self, hold: Hold) -> bool {
        self.lease.is_some_and(|lease| lease.owner == hold.owner && lease.fence == hold.fence)
    }

    fn give_back(&mut self, hold: Hold, flaws: Flaws) {
        let held = self.is_held(hold);
        if self.item == Item::Processing && (held || flaws.has(Flaw::HolderUnasked)) {
            self.item = Item::Scheduled;
        }
        if held && !self.given_back.contains(&hold.owner) {
            self.given_back.push(hold.owner);
            self.given_back.sort_unstable();
        }
        self.release(hold);
    }

    fn move_without_page(&mut self, hold: Hold, flaws: Flaws) {
        let may = self.page.is_none() && (self.is_held(hold) || flaws.has(Flaw::HolderUnasked));
        match (hold.task, self.item) {
            (Task::Withdraw, Item::Scheduled | Item::Processing) if may => self.item = Item::Withdrawn,
            (Task::Reinstate, Item::Withdrawn) if may => self.item = Item::Scheduled,
            _ => {}
        }
        self.release(hold);
    }

    fn release(&mut self, hold: Hold) {
        let held = self.is_held(hold);
        if let Some(lease) = self.lease.as_mut().filter(|_| held) {
            lease.live = false;
        }
    }

    /// The commit batch: all of it, or nothing.
    fn commit(&mut self, attempt: &Attempt, flaws: Flaws) -> Result<(), Raised> {
        let mut rows = self.clone();
        rows.commit_statements(attempt, flaws)?;
        *self = rows;
        Ok(())
    }

    fn commit_statements(&mut self, attempt: &Attempt, flaws: Flaws) -> Result<(), Raised> {
        let by_holder = self.is_live_for(attempt.hold);
        self.write_page(attempt, flaws)?;
        // What every later statement asks.
        let landed = self.carries(attempt.token);
        if landed || flaws.has(Flaw::ItemUnlinked) {
            self.item = attempt.hold.task.item_after();
        }
        if landed || flaws.has(Flaw::RevisionUnlinked) {
            self.revision += 1;
        }
        if self.page.is_some() && (landed || flaws.has(Flaw::ReceiptUnlinked)) {
            self.write_receipt(attempt, by_holder, flaws)?;
        }
        if attempt.hold.task == Task::Publish
            && self.page.is_some()
            && (landed || flaws.has(Flaw::QuotaUnlinked))
        {
            self.counted += 1;
        }
        if landed {
            self.release(attempt.hold);
        }
        if !flaws.has(Flaw::Unasserted) && !self.assertion(attempt.token) {
            return Err(Raised);
        }
        Ok(())
    }

    /// The guarded statement.
    fn write_page(&mut self, attempt: &Attempt, flaws: Flaws) -> Result<(), Raised> {
        let Attempt { token, hold, seen } = *attempt;
        let lease_holds = self.lease.is_some_and(|lease| {
            (lease.owner == hold.owner || flaws.has(Flaw::OwnerUnasked))
                && (lease.fence == hold.fence || flaws.has(Flaw::FenceUnasked))
                && (lease.live || flaws.has(Flaw::ExpiryUnasked))
        });
        let guard = (lease_holds || flaws.has(Flaw::LeaseUnasked))
            && (self.item == hold.task.item_before() || flaws.has(Flaw::StateUnasked))
            && (self.version() == seen || flaws.has(Flaw::VersionUnasked));
        if !guard {
            return Ok(());
        }
        let withdrawn = hold.task == Task::Withdraw;
        match (hold.task, &mut self.page) {
            (Task::Publish, None) => self.page = Some(Page { token, version: seen + 1, withdrawn }),
            // The puzzle is the page's primary key.
            (Task::Publish, Some(_)) => return Err(Raised),
            (Task::Withdraw | Task::Reinstate, None) => {}
            (Task::Withdraw | Task::Reinstate, Some(page)) => {
                *page = Page { token, version: page.version + 1, withdrawn };
            }
        }
        Ok(())
    }

    fn write_receipt(&mut self, attempt: &Attempt, by_holder: bool, flaws: Flaws) -> Result<(), Raised> {
        // The token is the primary key; revision and version are unique.
        let is_taken = |other: &Receipt| {
            other.token == attempt.token || other.revision == self.revision || other.version == self.version()
        };
        if !flaws.has(Flaw::ReceiptsUnkeyed) && self.receipts.iter().any(is_taken) {
            return if flaws.has(Flaw::ReceiptsForgiving) { Ok(()) } else { Err(Raised) };
        }
        self.receipts.push(Receipt {
            token: attempt.token,
            task: attempt.hold.task,
            fence: attempt.hold.fence,
            version: self.version(),
            revision: self.revision,
            by_holder,
            after_giving_back: self.given_back.contains(&attempt.hold.owner),
        });
        Ok(())
    }

    /// What the last statement asserts, whether or not the token landed.
    fn assertion(&self, token: Token) -> bool {
        let newest = self.receipts.iter().map(|receipt| receipt.revision).max().unwrap_or(0);
        let on_page = self.carries(token);
        let has_receipt = self.receipts.iter().any(|receipt| receipt.token == token);
        let version_of_newest = self.receipts.iter().map(|receipt| receipt.version).max().unwrap_or(0);
        self.revision == newest
            && on_page == has_receipt
            && self.version() == version_of_newest
            && self.item_fits_page()
    }

    /// Whether the item's state is the one that its page implies.
    pub fn item_fits_page(&self) -> bool {
        match self.page {
            None => self.item != Item::Published,
            Some(Page { withdrawn: false, .. }) => self.item == Item::Published,
            Some(Page { withdrawn: true, .. }) => self.item == Item::Withdrawn,
        }
    }
}
