//! A puzzle while it is played: what everybody sees of it, and the game.

use askama::Template;
use fencepost_domain::reading::OpenPuzzle;

use super::{DateText, Frame, GameState, GameText, Here, InstantText, NameText, UNTOLD_PRICE};
use crate::config::App;

/// A puzzle while it is played.
#[derive(Template)]
#[template(path = "puzzle.html")]
pub(crate) struct PuzzleText {
    number: i64,
    date: DateText,
    name: NameText,
    tag: &'static str,
    photo: Option<String>,
    open_until: InstantText,
    /// When the answer comes, if that is not the end of play.
    answer_at: Option<InstantText>,
    /// When the next puzzle may come: at midnight.
    next_at: InstantText,
    /// The game, on a site that can sign one.
    game: Option<GameText>,
}

impl PuzzleText {
    /// The view of this puzzle, with what a player has made of its game.
    pub(crate) fn new(app: &App, puzzle: OpenPuzzle, state: &GameState) -> Self {
        let apart = puzzle.due_at != puzzle.playable_until;
        let game = app.secret.is_some().then(|| GameText::new(app, &puzzle, state));
        Self {
            number: puzzle.puzzle_id.get(),
            date: puzzle.play_date.into(),
            name: puzzle.name.into(),
            tag: UNTOLD_PRICE,
            photo: puzzle.image_key.map(String::from),
            open_until: puzzle.playable_until.into(),
            answer_at: apart.then(|| puzzle.due_at.into()),
            next_at: puzzle.play_date.utc_day().next().start().into(),
            game,
        }
    }

    /// Its number.
    pub(crate) const fn number(&self) -> i64 {
        self.number
    }

    /// What the page around it has. It is found at the front page, which search engines may
    /// keep, and under its own address, which they may not: after a day, there is nothing.
    pub(crate) fn frame(&self, app: &App, title: String, here: Here) -> Frame {
        let photo = self.photo.as_ref();
        Frame {
            title,
            description: Some(format!(
                "What does it cost? Guess the price of today’s item: {}. A new one every day.",
                self.name.text()
            )),
            canonical: app.absolute("/"),
            image: photo.and_then(|key| app.absolute(&format!("/images/{key}"))),
            indexable: here == Here::Today,
            here,
        }
    }
}
