//! Items as people look at them.

use serde::Serialize;

use crate::{
    action::LoggedAction,
    commit::Receipt,
    id::{ContentVersion, PuzzleId},
    ledger::Item,
    preflight::Preflight,
    time::{PlayDate, UnixMillis},
};

/// One line of the list of items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItemSummary {
    /// Whose answer.
    pub puzzle_id: PuzzleId,
    /// The date of play.
    pub play_date: PlayDate,
    /// What is to be guessed.
    pub name: String,
    /// The item.
    #[serde(flatten)]
    pub item: Item,
    /// The page's version; 0 without a page.
    pub content_version: ContentVersion,
}

/// All that is known of one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemDetail {
    /// What a publisher would see.
    pub preflight: Preflight,
    /// Every change of its page, oldest first.
    pub receipts: Vec<Receipt>,
    /// What people did with it, oldest first.
    pub actions: Vec<LoggedAction>,
}

/// What a reschedule led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rescheduled {
    /// The item that stands afterwards; `None` for an unknown puzzle.
    pub item: Option<Item>,
    /// The puzzle's end of play.
    pub playable_until: Option<UnixMillis>,
}
