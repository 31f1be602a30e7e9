//! Previews: what a page would be, before anybody commits it.
//!
//! An answer page is a snapshot of the bank, and nothing changes it but a commit. So whoever
//! writes the bank cannot see what a row will look like until everybody can. A preview
//! renders the present row as a commit would render it, in whatever state its item is, for
//! the holder of a link that an operator has had made.
//!
//! It is the one way around the embargo, so it goes around everything that could carry it
//! further as well. It never asks the cache, which would keep it for somebody else, and it
//! writes nothing. What a link may show is decided before: whoever calls this has seen its
//! signature. Until when it may show it is decided here, because only the store knows what
//! time it is. A link that has run out costs what an unknown address costs, and learns no
//! more.

use std::sync::Arc;

use fencepost_domain::{
    id::PuzzleId, image::ImageKey, page::AnswerContent, preflight::Preflight, time::UnixMillis,
};
use fencepost_ports::{Blob, StoreError};

use crate::{ActionError, Rendering, Served, Site, render::render};

/// How long a link works unless somebody says otherwise, in seconds: a day.
const USUAL_SECONDS: i64 = 86_400;
/// How long a link may work, in seconds: a week.
const MOST_SECONDS: i64 = 604_800;

/// How long a link is to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreviewValidity {
    seconds: i64,
}

impl PreviewValidity {
    /// The longest, in seconds.
    pub const MOST_SECONDS: i64 = MOST_SECONDS;

    /// So many seconds; `None` for a time that no link works.
    pub fn of_seconds(seconds: i64) -> Option<Self> {
        (1..=MOST_SECONDS).contains(&seconds).then_some(Self { seconds })
    }
}

impl Default for PreviewValidity {
    /// A day.
    fn default() -> Self {
        Self { seconds: USUAL_SECONDS }
    }
}

/// What a link leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewAddress {
    /// Whose page.
    pub puzzle_id: PuzzleId,
    /// The photo on that page; `None` for the page itself.
    pub photo: Option<ImageKey>,
}

/// What is shown to the holder of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreviewContent {
    /// A page.
    Page(Preview),
    /// The photo on it.
    Photo {
        /// Which.
        key: ImageKey,
        /// Its bytes.
        blob: Blob,
    },
}

/// A page as it would be published from the present row of the bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// Whose.
    pub puzzle_id: PuzzleId,
    /// What would be published now.
    pub content: AnswerContent,
    /// Whether the row names a photo that is not stored yet.
    pub awaits_photo: bool,
    /// From which instant on the link leads nowhere.
    pub expires_at: UnixMillis,
}

/// The answer to the holder of a link.
#[derive(Clone, Debug)]
pub struct PreviewServed {
    /// The answer.
    pub served: Served,
    /// Whether it shows anything; if not, it is the answer of an unknown address.
    pub shown: bool,
}

impl Site {
    /// From which instant on a link to a preview leads nowhere that is made now.
    ///
    /// # Errors
    /// A puzzle that the bank does not have, or a store that cannot be read.
    pub async fn preview_until(
        &self,
        puzzle_id: PuzzleId,
        validity: PreviewValidity,
    ) -> Result<UnixMillis, ActionError> {
        let now = self.item(puzzle_id).await?.now;
        Ok(now.plus(validity.seconds * 1_000))
    }

    /// Answers a request by a link whose signature is right and which works until
    /// `expires_at`, exclusively. `render` is given `None` for one that leads nowhere.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn serve_preview(
        &self,
        address: &PreviewAddress,
        expires_at: UnixMillis,
        render: impl FnOnce(Option<PreviewContent>) -> Rendering + Send,
    ) -> Result<PreviewServed, StoreError> {
        let moment = self.moment().await?;
        let content =
            if moment.now < expires_at { self.preview_content(address, expires_at).await? } else { None };
        let shown = content.is_some();
        let mut served = render(content).served_once(&moment);
        if shown {
            // Nobody keeps it, so nobody can ask whether what was kept still holds.
            Arc::make_mut(&mut served.reply).tag = None;
        }
        Ok(PreviewServed { served, shown })
    }

    async fn preview_content(
        &self,
        address: &PreviewAddress,
        expires_at: UnixMillis,
    ) -> Result<Option<PreviewContent>, StoreError> {
        let Some(detail) = self.stores.ledger.item(address.puzzle_id).await? else { return Ok(None) };
        let Some(preview) = preview(&detail.preflight, expires_at) else { return Ok(None) };
        match &address.photo {
            None => Ok(Some(PreviewContent::Page(preview))),
            Some(key) if preview.content.image_key.as_ref() == Some(key) => {
                Ok(Some(PreviewContent::Photo { key: key.clone(), blob: self.photo(key).await? }))
            }
            // The row shows another photo by now, or none.
            Some(_) => Ok(None),
        }
    }
}

fn preview(seen: &Preflight, expires_at: UnixMillis) -> Option<Preview> {
    let puzzle = seen.puzzle.as_ref()?;
    let image_key = seen.photo().cloned();
    let awaits_photo = puzzle.image_url.is_some() && image_key.is_none();
    let content = render(puzzle, image_key);
    Some(Preview { puzzle_id: puzzle.puzzle_id, content, awaits_photo, expires_at })
}
