//! What readers see, with the revisions that it was read at.

use serde::{Deserialize, Serialize};

use crate::{
    id::PuzzleId,
    image::ImageKey,
    page::AnswerPage,
    results::DayStats,
    revision::Revision,
    time::{PlayDate, UnixMillis},
    visibility::AnswerFacts,
};

/// Content, and the revisions that it was read with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot<T> {
    /// Changes of published content so far.
    pub publication_revision: Revision,
    /// Imports, edits and reschedules so far.
    pub bank_revision: i64,
    /// The content.
    pub value: T,
    /// What the content lacks because it cannot be read, for whoever repairs it. A row that
    /// wants repair takes its own line out of a list, and not the list from everybody.
    pub unreadable: Vec<String>,
}

impl<T> Snapshot<T> {
    /// The same revisions with other content.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Snapshot<U> {
        Snapshot {
            publication_revision: self.publication_revision,
            bank_revision: self.bank_revision,
            value: change(self.value),
            unreadable: self.unreadable,
        }
    }
}

/// The front page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// The puzzles that are being played, the newest first: today's, and in its grace window
    /// yesterday's.
    pub open: Vec<OpenPuzzle>,
    /// The newest public answers.
    pub latest: Vec<ListedAnswer>,
}

/// What is public of an open puzzle: everything but its price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenPuzzle {
    /// Its number.
    pub puzzle_id: PuzzleId,
    /// Its date of play.
    pub play_date: PlayDate,
    /// What is to be guessed.
    pub name: String,
    /// Its photo, once it is stored.
    pub image_key: Option<ImageKey>,
    /// The end of play.
    pub playable_until: UnixMillis,
    /// When its answer is due.
    pub due_at: UnixMillis,
}

/// One line of a list of answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedAnswer {
    /// The puzzle's number.
    pub puzzle_id: PuzzleId,
    /// Its date of play.
    pub play_date: PlayDate,
    /// What was to be guessed.
    pub name: String,
    /// The answer, in cents.
    pub price_cents: i64,
    /// The photo.
    pub image_key: Option<ImageKey>,
}

/// The most bytes of [`FeedEntry::body_html`]. Twenty of them, with every character escaped
/// in JSON, which makes six of one, stay below the two megabytes that D1 takes as one text.
pub const LONGEST_FEED_BODY: usize = 16_000;

/// One entry of the feed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedEntry {
    /// The puzzle's number.
    pub puzzle_id: PuzzleId,
    /// Its date of play.
    pub play_date: PlayDate,
    /// What was to be guessed.
    pub name: String,
    /// The answer, in cents.
    pub price_cents: i64,
    /// About the item: HTML, already made safe. `None` if it is longer than
    /// [`LONGEST_FEED_BODY`].
    pub body_html: Option<String>,
    /// The photo.
    pub image_key: Option<ImageKey>,
    /// First publication.
    pub published_at: UnixMillis,
    /// Newest commit.
    pub updated_at: UnixMillis,
}

/// One answer page in the list for search engines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SitemapEntry {
    /// The puzzle's number.
    pub puzzle_id: PuzzleId,
    /// Newest commit.
    pub updated_at: UnixMillis,
}

/// The answer before or after another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbour {
    /// The puzzle's number.
    pub puzzle_id: PuzzleId,
    /// Its date of play.
    pub play_date: PlayDate,
    /// What was to be guessed.
    pub name: String,
}

/// All that decides about an answer page, and its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerView {
    /// What its visibility depends on.
    pub facts: AnswerFacts,
    /// The page, if it has one. Not to be shown before [`AnswerFacts::visibility`] says so.
    pub page: Option<AnswerPage>,
    /// How the puzzle was played so far. Not to be shown before that either: while a puzzle
    /// is played, the games of others would help to guess its price.
    pub stats: DayStats,
    /// The public answer played before it.
    pub previous: Option<Neighbour>,
    /// The public answer played after it.
    pub next: Option<Neighbour>,
}
