//! Answer pages: what is published, and what may never be taken from a reader.
//!
//! A page stores a snapshot of what was rendered, not a reference to the bank: the
//! bank may be edited at any time, a page changes only by a commit.

use serde::{Deserialize, Serialize};

use crate::{
    id::{BankVersion, ContentVersion},
    image::ImageKey,
    time::{PlayDate, UnixMillis},
};

/// What readers see of a finished puzzle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerContent {
    /// The date on which it was played.
    pub play_date: PlayDate,
    /// What was to be guessed.
    pub name: String,
    /// The answer, in cents.
    pub price_cents: i64,
    /// About the item: HTML, already made safe.
    pub body_html: String,
    /// The photo, if the puzzle has one.
    pub image_key: Option<ImageKey>,
}

impl AnswerContent {
    /// Whether search engines may index the page: only with its photo.
    ///
    /// One way: once a page has been offered to search engines, or has shown a photo,
    /// no update takes that back. See [`Predicate::StaysIndexable`] and
    /// [`Predicate::KeepsPhoto`].
    ///
    /// [`Predicate::StaysIndexable`]: crate::guard::Predicate::StaysIndexable
    /// [`Predicate::KeepsPhoto`]: crate::guard::Predicate::KeepsPhoto
    pub const fn indexable(&self) -> bool {
        self.image_key.is_some()
    }
}

/// A page as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerPage {
    /// What it shows.
    pub content: AnswerContent,
    /// Stored beside the content: a page that was ever indexable stays so.
    pub indexable: bool,
    /// 1 at first publication, plus 1 with every commit.
    pub content_version: ContentVersion,
    /// The bank version that the content was rendered from.
    pub bank_version: BankVersion,
    /// First publication.
    pub published_at: UnixMillis,
    /// Newest commit.
    pub updated_at: UnixMillis,
    /// Set while the page is taken back.
    pub withdrawn_at: Option<UnixMillis>,
}

#[cfg(test)]
mod tests {
    use crate::scene;

    #[test]
    fn a_page_is_offered_to_search_engines_with_its_photo_only() {
        assert!(scene::content(Some(scene::photo())).indexable());
        assert!(!scene::content(None).indexable());
    }
}
