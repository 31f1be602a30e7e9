//! What actors send to the store.

use std::fmt;

use crate::store::Item;

/// Who writes: one run of one actor. Every run draws a fresh one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Owner {
    /// The place of the actor in the list of all.
    pub actor: u8,
    /// Which of its runs, from 1.
    pub run: u8,
}

impl Owner {
    /// The actor that is none of the list: whoever comes when all is over.
    pub const LAST_COMER: Self = Self { actor: u8::MAX, run: 1 };
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.actor {
            0 => 'A',
            1 => 'B',
            2 => 'O',
            _ => 'Z',
        };
        write!(f, "{name}{}", self.run)
    }
}

/// The mark of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token {
    /// Whose attempt it is.
    pub owner: Owner,
    /// Which of its attempts, from 1.
    pub attempt: u8,
}

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Task {
    /// A worker's.
    Publish,
    /// An operator's: nobody is to see the page, or there is to be none.
    Withdraw,
    /// An operator's: the page is to be seen again, or the item to be published after all.
    Reinstate,
}

impl Task {
    /// The state from which its commit starts.
    pub const fn item_before(self) -> Item {
        match self {
            Self::Publish => Item::Processing,
            Self::Withdraw => Item::Published,
            Self::Reinstate => Item::Withdrawn,
        }
    }

    /// The state to which its commit leads.
    pub const fn item_after(self) -> Item {
        match self {
            Self::Publish | Self::Reinstate => Item::Published,
            Self::Withdraw => Item::Withdrawn,
        }
    }
}

/// What a run has in hand, as it was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hold {
    /// The run.
    pub owner: Owner,
    /// Its fence.
    pub fence: u8,
    /// What it is for.
    pub task: Task,
}

/// One attempt to commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Attempt {
    /// Its mark.
    pub token: Token,
    /// What its sender had in hand.
    pub hold: Hold,
    /// The version of the page that its sender saw, 0 for none.
    pub seen: u8,
}

/// A batch on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    /// A worker claims the item, and marks it.
    Claim(Owner),
    /// An operator takes the lease over, live or not.
    TakeOver(Owner),
    /// The commit batch.
    Commit(Attempt),
    /// A worker gives the item back, and releases the lease.
    GiveBack(Hold),
    /// An operator withdraws or reinstates an item that has no page, and releases the lease.
    MoveWithoutPage(Hold),
    /// An operator releases the lease.
    Release(Hold),
}
