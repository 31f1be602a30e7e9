//! What can be taken out of a site, row by row.
//!
//! An export is read in pages, each of which goes on behind the key of the last row before
//! it. So it holds each row as it stood when its page was read, and a change meanwhile shows
//! in the rows that were yet to come. No row is left out or told twice for that: the keys
//! never change, and receipts and actions are only ever added at the end.

use std::{fmt, str::FromStr};

use serde::Serialize;

use crate::{
    id::{BankVersion, ContentVersion, PuzzleId},
    image::ImageKey,
    ledger::Item,
    time::{PlayDate, UnixMillis},
};

/// What can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// The puzzles, as an import takes them, by their numbers.
    Bank,
    /// The items, and how their pages stand, by the numbers of their puzzles.
    Ledger,
    /// The receipts of all commits, by revision.
    Receipts,
    /// What people did, in the order in which they did it.
    Actions,
}

impl Export {
    /// Everything that can be exported.
    pub const ALL: [Self; 4] = [Self::Bank, Self::Ledger, Self::Receipts, Self::Actions];

    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bank => "bank",
            Self::Ledger => "ledger",
            Self::Receipts => "receipts",
            Self::Actions => "actions",
        }
    }
}

impl fmt::Display for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Export {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|export| export.as_str() == text).ok_or(())
    }
}

/// One item of the ledger, and how its page stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerRow {
    /// Whose answer.
    pub puzzle_id: PuzzleId,
    /// The date of play.
    pub play_date: PlayDate,
    /// The version of the puzzle in the bank.
    pub bank_version: BankVersion,
    /// The item.
    #[serde(flatten)]
    pub item: Item,
    /// The page's version; 0 without a page.
    pub content_version: ContentVersion,
    /// What is known of the page; nothing without one.
    #[serde(flatten)]
    pub page: LedgerPage,
}

/// What the ledger's export tells of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LedgerPage {
    /// The version of the puzzle that it was rendered from.
    pub page_bank_version: Option<BankVersion>,
    /// Whether search engines may list it.
    pub indexable: Option<bool>,
    /// Its photo.
    pub image_key: Option<ImageKey>,
    /// When it came out.
    pub published_at: Option<UnixMillis>,
    /// When it changed last.
    pub updated_at: Option<UnixMillis>,
    /// When it was taken back.
    pub withdrawn_at: Option<UnixMillis>,
}
