//! Reading pages.
//!
//! A request reads time and revision first; everything after it uses that time and no
//! other. What is shown is decided by the visibility of [`fencepost_domain::visibility`],
//! on every page the same.

use fencepost_domain::{
    id::PuzzleId,
    image::ImageKey,
    page::AnswerPage,
    revision::{Revision, SiteMoment},
    time::{PlayDate, UnixMillis},
    visibility::AnswerVisibility,
};
use fencepost_ports::{AnswerView, Blob, Home, ListedAnswer, Neighbour, Snapshot, StoreError};

use crate::Site;

/// How many answers the front page shows.
const LATEST: u32 = 6;
/// How many answers one page of the list shows.
const LIST_PAGE: u32 = 30;

/// Something to show, when it was read, and the revision that it was read with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The instant of the request, by the store's clock.
    pub now: UnixMillis,
    /// The revision that came with the content.
    pub revision: Revision,
    /// Whether the request found out that an answer is due and not out.
    pub overdue: bool,
    /// What to show.
    pub content: T,
}

/// A page of the list of answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerList {
    /// The answers, newest date of play first.
    pub answers: Vec<ListedAnswer>,
    /// Continue with the answers played before this date; `None` at the end.
    pub older_than: Option<PlayDate>,
}

/// What a reader gets for an answer's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerPageView {
    /// Nothing that a number never used would not get as well.
    Unknown,
    /// That it is not out yet.
    NotYet {
        /// When its embargo ends; in the past when it is merely late.
        due_at: UnixMillis,
        /// When asking again may help.
        retry_at: UnixMillis,
    },
    /// That it was taken back.
    Withdrawn,
    /// The page.
    Public(Box<PublicAnswer>),
}

/// A public answer page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicAnswer {
    /// The page.
    pub page: AnswerPage,
    /// The public answer played before it.
    pub previous: Option<Neighbour>,
    /// The public answer played after it.
    pub next: Option<Neighbour>,
}

impl Site {
    /// The front page.
    pub async fn home(&self) -> Result<Page<Home>, StoreError> {
        let moment = self.moment().await?;
        Ok(page(moment, self.stores.posts.home(moment.now, LATEST).await?))
    }

    /// The list of answers, those played before `before`.
    pub async fn answers(&self, before: Option<PlayDate>) -> Result<Page<AnswerList>, StoreError> {
        let moment = self.moment().await?;
        let list = self.stores.posts.list(moment.now, before, LIST_PAGE + 1).await?;
        Ok(page(moment, list.map(cut_list)))
    }

    /// One answer page.
    pub async fn answer(&self, puzzle_id: PuzzleId) -> Result<Page<AnswerPageView>, StoreError> {
        let moment = self.moment().await?;
        let view = self.stores.posts.answer(moment.now, puzzle_id).await?;
        Ok(page(moment, view.map(|view| answer_page(view, moment.now))))
    }

    /// Whether an open puzzle or a public page shows this photo: all that a reader who has
    /// its bytes already needs to know.
    pub async fn shows_image(&self, key: &ImageKey) -> Result<Page<bool>, StoreError> {
        let moment = self.moment().await?;
        Ok(page(moment, self.stores.posts.shows_image(moment.now, key).await?))
    }

    /// The bytes of a photo, while an open puzzle or a public page shows it.
    ///
    /// # Errors
    /// A store that misbehaved, or a photo that is recorded as stored and is not there.
    pub async fn image(&self, key: &ImageKey) -> Result<Page<Option<Blob>>, StoreError> {
        let moment = self.moment().await?;
        let shown = self.stores.posts.shows_image(moment.now, key).await?;
        if !shown.value {
            return Ok(page(moment, shown.map(|_| None)));
        }
        match self.blobs.get(key).await {
            Ok(Some(blob)) => Ok(page(moment, shown.map(|_| Some(blob)))),
            Ok(None) => {
                Err(StoreError::corrupt("object_key", format!("the photo {key} is not in the image store")))
            }
            Err(error) => Err(StoreError::unknown(error.to_string())),
        }
    }

    /// Time and revision. Answers whether the store can be read at all.
    pub async fn moment(&self) -> Result<SiteMoment, StoreError> {
        self.stores.revisions.moment().await
    }
}

fn page<T>(moment: SiteMoment, snapshot: Snapshot<T>) -> Page<T> {
    Page {
        now: moment.now,
        revision: snapshot.publication_revision,
        overdue: moment.overdue,
        content: snapshot.value,
    }
}

fn cut_list(mut answers: Vec<ListedAnswer>) -> AnswerList {
    let page = LIST_PAGE as usize;
    let more = answers.len() > page;
    answers.truncate(page);
    let older_than = if more { answers.last().map(|answer| answer.play_date) } else { None };
    AnswerList { answers, older_than }
}

fn answer_page(view: Option<AnswerView>, now: UnixMillis) -> AnswerPageView {
    let Some(view) = view else { return AnswerPageView::Unknown };
    match (view.facts.visibility(now), view.page) {
        (AnswerVisibility::Public, Some(page)) => {
            AnswerPageView::Public(Box::new(PublicAnswer { page, previous: view.previous, next: view.next }))
        }
        (AnswerVisibility::NotYet { retry_at }, _) => {
            AnswerPageView::NotYet { due_at: view.facts.due_at, retry_at }
        }
        (AnswerVisibility::Withdrawn, _) => AnswerPageView::Withdrawn,
        (AnswerVisibility::Unknown | AnswerVisibility::Public, _) => AnswerPageView::Unknown,
    }
}
