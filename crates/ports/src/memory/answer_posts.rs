//! What readers see: one predicate decides for page, list, neighbours and photos.

use async_trait::async_trait;
use fencepost_domain::{
    id::PuzzleId,
    image::ImageKey,
    ledger::ItemState,
    page::AnswerPage,
    puzzle::Puzzle,
    reading::LONGEST_FEED_BODY,
    time::{PlayDate, UnixMillis},
};

use super::{MemoryStore, State};
use crate::{
    AnswerPosts, AnswerView, FeedEntry, Home, ListedAnswer, Neighbour, OpenPuzzle, SitemapEntry, Snapshot,
    StoreError,
};

#[async_trait]
impl AnswerPosts for MemoryStore {
    async fn home(&self, now: UnixMillis, answers: u32) -> Result<Snapshot<Home>, StoreError> {
        Ok(self.read(|state, _| {
            state.snapshot(Home { open: state.open(now), latest: state.listed(now, None, answers) })
        }))
    }

    async fn list(
        &self,
        now: UnixMillis,
        before: Option<PlayDate>,
        limit: u32,
    ) -> Result<Snapshot<Vec<ListedAnswer>>, StoreError> {
        Ok(self.read(|state, _| state.snapshot(state.listed(now, before, limit))))
    }

    async fn answer(
        &self,
        now: UnixMillis,
        puzzle: PuzzleId,
    ) -> Result<Snapshot<Option<AnswerView>>, StoreError> {
        Ok(self.read(|state, _| {
            state.snapshot(state.facts(puzzle).map(|facts| {
                let page = state.page(puzzle).cloned();
                let played = page.as_ref().map(|page| page.content.play_date);
                AnswerView {
                    facts,
                    previous: played.and_then(|date| state.previous(now, date)),
                    next: played.and_then(|date| state.next(now, date)),
                    page,
                    stats: state.stats(puzzle),
                }
            }))
        }))
    }

    async fn feed(&self, now: UnixMillis, limit: u32) -> Result<Snapshot<Vec<FeedEntry>>, StoreError> {
        Ok(self.read(|state, _| {
            let pages = state.newest_first(now).into_iter();
            state.snapshot(pages.take(limit as usize).map(feed_entry).collect())
        }))
    }

    async fn sitemap(&self, now: UnixMillis, limit: u32) -> Result<Snapshot<Vec<SitemapEntry>>, StoreError> {
        Ok(self.read(|state, _| {
            let pages = state.newest_first(now).into_iter().filter(|(_, page)| page.indexable);
            let entry =
                |(puzzle_id, page): (_, &AnswerPage)| SitemapEntry { puzzle_id, updated_at: page.updated_at };
            state.snapshot(pages.take(limit as usize).map(entry).collect())
        }))
    }

    async fn shows_image(&self, now: UnixMillis, key: &ImageKey) -> Result<Snapshot<bool>, StoreError> {
        Ok(self.read(|state, _| {
            let open = || state.open_puzzles(now).any(|puzzle| state.ready_image(puzzle) == Some(key));
            let public =
                || state.public_pages(now).any(|(_, page)| page.content.image_key.as_ref() == Some(key));
            state.snapshot(open() || public())
        }))
    }
}

impl State {
    /// The puzzles that are being played at `now`, those taken back apart.
    fn open_puzzles(&self, now: UnixMillis) -> impl Iterator<Item = &Puzzle> {
        let withdrawn = |id| self.items.get(id).is_none_or(|item| item.state == ItemState::Withdrawn);
        self.puzzles
            .values()
            .map(|stored| &stored.puzzle)
            .filter(move |puzzle| puzzle.is_open(now) && !withdrawn(&puzzle.puzzle_id))
    }

    /// The newest two that are being played.
    fn open(&self, now: UnixMillis) -> Vec<OpenPuzzle> {
        let mut puzzles: Vec<_> = self.open_puzzles(now).collect();
        puzzles.sort_by_key(|puzzle| std::cmp::Reverse(puzzle.opens_at));
        puzzles.into_iter().take(2).filter_map(|puzzle| self.open_puzzle(puzzle)).collect()
    }

    pub(super) fn open_puzzle(&self, puzzle: &Puzzle) -> Option<OpenPuzzle> {
        Some(OpenPuzzle {
            puzzle_id: puzzle.puzzle_id,
            play_date: puzzle.play_date,
            name: puzzle.name.clone(),
            image_key: self.ready_image(puzzle).cloned(),
            playable_until: puzzle.playable_until,
            due_at: self.items.get(&puzzle.puzzle_id)?.due_at,
        })
    }

    fn listed(&self, now: UnixMillis, before: Option<PlayDate>, limit: u32) -> Vec<ListedAnswer> {
        self.newest_first(now)
            .into_iter()
            .filter(|(_, page)| before.is_none_or(|before| page.content.play_date < before))
            .take(limit as usize)
            .map(|(puzzle_id, page)| ListedAnswer {
                puzzle_id,
                play_date: page.content.play_date,
                name: page.content.name.clone(),
                price_cents: page.content.price_cents,
                image_key: page.content.image_key.clone(),
            })
            .collect()
    }

    /// The pages that everybody may see at `now`, newest date of play first.
    fn newest_first(&self, now: UnixMillis) -> Vec<(PuzzleId, &AnswerPage)> {
        let mut pages: Vec<_> = self.public_pages(now).collect();
        pages.sort_by_key(|(_, page)| std::cmp::Reverse(page.content.play_date));
        pages
    }

    fn previous(&self, now: UnixMillis, date: PlayDate) -> Option<Neighbour> {
        self.public_pages(now)
            .filter(|(_, page)| page.content.play_date < date)
            .max_by_key(|(_, page)| page.content.play_date)
            .map(neighbour)
    }

    fn next(&self, now: UnixMillis, date: PlayDate) -> Option<Neighbour> {
        self.public_pages(now)
            .filter(|(_, page)| page.content.play_date > date)
            .min_by_key(|(_, page)| page.content.play_date)
            .map(neighbour)
    }
}

fn neighbour((puzzle_id, page): (PuzzleId, &AnswerPage)) -> Neighbour {
    Neighbour { puzzle_id, play_date: page.content.play_date, name: page.content.name.clone() }
}

fn feed_entry((puzzle_id, page): (PuzzleId, &AnswerPage)) -> FeedEntry {
    let content = page.content.clone();
    FeedEntry {
        puzzle_id,
        play_date: content.play_date,
        name: content.name,
        price_cents: content.price_cents,
        body_html: (content.body_html.len() <= LONGEST_FEED_BODY).then_some(content.body_html),
        image_key: content.image_key,
        published_at: page.published_at,
        updated_at: page.updated_at,
    }
}
