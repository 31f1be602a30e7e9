//! Reading what is to be shown, with the revisions that it belongs to.
//!
//! What is shown is decided by the visibility of [`fencepost_domain::visibility`], on every
//! page the same.

use fencepost_domain::{
    id::PuzzleId,
    image::ImageKey,
    page::AnswerPage,
    play::Play,
    time::{PlayDate, UnixMillis},
    visibility::AnswerVisibility,
};
use fencepost_ports::{
    AnswerView, Blob, DayStats, FeedEntry, Home, ListedAnswer, Neighbour, OpenPuzzle, SitemapEntry, Snapshot,
    StoreError,
};

use crate::{Address, Site};

/// How many answers the front page shows.
const LATEST: u32 = 6;
/// How many answers one page of the list shows.
const LIST_PAGE: u32 = 30;
/// How many answers the feed has.
const FEED_ENTRIES: u32 = 20;
/// How many answers the list for search engines has, at most. They are read as one text, and
/// this many are a quarter of what D1 takes as one. At a puzzle a day, they last for 27 years.
const SITEMAP_ENTRIES: u32 = 10_000;

/// What is to be shown at an [`Address`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The front page.
    Home(Home),
    /// The list of answers.
    Answers {
        /// Those played before this date; `None` for the newest.
        before: Option<PlayDate>,
        /// The list.
        list: AnswerList,
    },
    /// The answer of a puzzle.
    Answer {
        /// Whose.
        puzzle_id: PuzzleId,
        /// What a reader may know of it.
        view: AnswerPageView,
    },
    /// How a puzzle was played.
    Stats {
        /// Which.
        puzzle_id: PuzzleId,
        /// What a reader may know of it.
        view: StatsView,
    },
    /// A puzzle, while it is played.
    Play {
        /// Which.
        puzzle_id: PuzzleId,
        /// What a reader may know of it.
        view: PlayView,
    },
    /// The feed of the newest answers.
    Feed(Vec<FeedEntry>),
    /// The answers that search engines may keep, the newest if there are too many.
    Sitemap(Vec<SitemapEntry>),
    /// A photo.
    Image {
        /// Which.
        key: ImageKey,
        /// What a reader gets of it.
        photo: Photo,
    },
}

/// What a reader gets of a photo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Photo {
    /// Nothing: no open puzzle and no public page shows it.
    Hidden,
    /// Leave to show the bytes that the client has.
    Held,
    /// Its bytes.
    Bytes(Blob),
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
        /// When its embargo ends.
        due_at: UnixMillis,
    },
    /// That its embargo has ended, and it is not out.
    Late,
    /// That it was taken back.
    Withdrawn,
    /// The page.
    Public(Box<PublicAnswer>),
}

/// What a reader gets for the address of statistics. It is what the address of the answer
/// gives: while a puzzle is played, the games of others would help to guess its price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatsView {
    /// Nothing that a number never used would not get as well.
    Unknown,
    /// That the answer is not out yet.
    NotYet {
        /// When its embargo ends.
        due_at: UnixMillis,
    },
    /// That the embargo has ended, and the answer is not out.
    Late,
    /// That the answer was taken back.
    Withdrawn,
    /// The statistics.
    Public(DayStats),
}

/// What a reader gets for the address of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayView {
    /// Nothing that a number never used would not get as well.
    Unknown,
    /// The puzzle.
    Open(Box<OpenPuzzle>),
    /// That its time is over.
    Over,
}

impl From<Play> for PlayView {
    fn from(play: Play) -> Self {
        match play {
            Play::Unknown => Self::Unknown,
            Play::Open(open) => Self::Open(Box::new(open.puzzle)),
            Play::Over => Self::Over,
        }
    }
}

/// A public answer page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicAnswer {
    /// The page.
    pub page: AnswerPage,
    /// How its puzzle was played. They have no revision and need none: no answer is due
    /// while its puzzle takes results, so what can be seen does not change any more.
    pub stats: DayStats,
    /// The public answer played before it.
    pub previous: Option<Neighbour>,
    /// The public answer played after it.
    pub next: Option<Neighbour>,
}

impl Site {
    /// What is to be shown at an address at `now`.
    pub(crate) async fn read(
        &self,
        address: &Address,
        now: UnixMillis,
    ) -> Result<Snapshot<Content>, StoreError> {
        let posts = &self.stores.posts;
        Ok(match address {
            Address::Home => posts.home(now, LATEST).await?.map(Content::Home),
            Address::Answers { before } => {
                let list = posts.list(now, *before, LIST_PAGE + 1).await?;
                let listed = list.value.len() + list.unreadable.len();
                list.map(|answers| Content::Answers { before: *before, list: cut(answers, listed) })
            }
            Address::Answer(puzzle_id) => {
                let (puzzle_id, view) = (*puzzle_id, posts.answer(now, *puzzle_id).await?);
                view.map(|view| Content::Answer { puzzle_id, view: answer_page(view, now) })
            }
            Address::Stats(puzzle_id) => {
                let (puzzle_id, mut view) = (*puzzle_id, posts.answer(now, *puzzle_id).await?);
                // What cannot be read are its neighbours, of which statistics tell nothing.
                view.unreadable.clear();
                view.map(|view| Content::Stats { puzzle_id, view: stats(answer_page(view, now)) })
            }
            Address::Play(puzzle_id) => {
                let (puzzle_id, play) = (*puzzle_id, self.stores.results.play(Some(now), *puzzle_id).await?);
                play.map(|play| Content::Play { puzzle_id, view: play.into() })
            }
            Address::Feed => posts.feed(now, FEED_ENTRIES).await?.map(Content::Feed),
            Address::Sitemap => posts.sitemap(now, SITEMAP_ENTRIES).await?.map(Content::Sitemap),
            Address::Image { key, held } => {
                let shown = posts.shows_image(now, key).await?;
                let photo = match (shown.value, held) {
                    (false, _) => Photo::Hidden,
                    (true, true) => Photo::Held,
                    (true, false) => Photo::Bytes(self.photo(key).await?),
                };
                shown.map(|_| Content::Image { key: key.clone(), photo })
            }
        })
    }

    /// The bytes of a photo that is recorded as stored.
    pub(crate) async fn photo(&self, key: &ImageKey) -> Result<Blob, StoreError> {
        match self.blobs.get(key).await {
            Ok(Some(blob)) => Ok(blob),
            Ok(None) => {
                Err(StoreError::corrupt("object_key", format!("the photo {key} is not in the image store")))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// What is shown of `answers`, which are all that can be read of as many as were listed.
fn cut(mut answers: Vec<ListedAnswer>, listed: usize) -> AnswerList {
    let page = LIST_PAGE as usize;
    let more = listed > page;
    answers.truncate(page);
    let older_than = if more { answers.last().map(|answer| answer.play_date) } else { None };
    AnswerList { answers, older_than }
}

/// Of the answer's page, what is told to whoever asks for statistics.
fn stats(page: AnswerPageView) -> StatsView {
    match page {
        AnswerPageView::Unknown => StatsView::Unknown,
        AnswerPageView::NotYet { due_at } => StatsView::NotYet { due_at },
        AnswerPageView::Late => StatsView::Late,
        AnswerPageView::Withdrawn => StatsView::Withdrawn,
        AnswerPageView::Public(answer) => StatsView::Public(answer.stats),
    }
}

fn answer_page(view: Option<AnswerView>, now: UnixMillis) -> AnswerPageView {
    let Some(view) = view else { return AnswerPageView::Unknown };
    match (view.facts.visibility(now), view.page) {
        (AnswerVisibility::Public, Some(page)) => {
            let AnswerView { stats, previous, next, .. } = view;
            AnswerPageView::Public(Box::new(PublicAnswer { page, stats, previous, next }))
        }
        (AnswerVisibility::NotYet, _) => AnswerPageView::NotYet { due_at: view.facts.due_at },
        (AnswerVisibility::Late, _) => AnswerPageView::Late,
        (AnswerVisibility::Withdrawn, _) => AnswerPageView::Withdrawn,
        (AnswerVisibility::Unknown | AnswerVisibility::Public, _) => AnswerPageView::Unknown,
    }
}
