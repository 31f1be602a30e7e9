//! The page of one puzzle while it is played.

use askama::Template;
use fencepost_domain::reading::OpenPuzzle;

use super::{Frame, GameState, Here, INFALLIBLE, PuzzleText};
use crate::{assets, config::App};

/// The page of one puzzle while it is played.
#[derive(Template)]
#[template(path = "play.html")]
pub(crate) struct PlayPageText {
    frame: Frame,
    script: &'static str,
    puzzle: PuzzleText,
}

impl PlayPageText {
    /// The view of this puzzle, with what a player has made of its game.
    pub(crate) fn new(app: &App, puzzle: OpenPuzzle, state: &GameState) -> Self {
        let puzzle = PuzzleText::new(app, puzzle, state);
        let title = format!("What does it cost? No. {}", puzzle.number());
        let frame = puzzle.frame(app, title, Here::Elsewhere);
        Self { frame, script: assets::SCRIPT.path, puzzle }
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}
