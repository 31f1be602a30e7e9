//! The front page: today's puzzle, and the newest answers.

use askama::Template;
use fencepost_domain::reading::{Home, OpenPuzzle};

use crate::{
    assets,
    config::App,
    view::{Card, DateText, Frame, GameState, Here, INFALLIBLE, InstantText, PuzzleText},
};

/// The title of the front page.
const TITLE: &str = "What does it cost?";

/// The front page.
#[derive(Template)]
#[template(path = "home.html")]
pub(crate) struct HomeView {
    frame: Frame,
    script: &'static str,
    today: Option<PuzzleText>,
    finishing: Option<Finishing>,
    latest: Vec<Card>,
}

/// Another puzzle that is still played: yesterday's, in its grace window.
struct Finishing {
    number: i64,
    date: DateText,
    open_until: InstantText,
}

impl From<OpenPuzzle> for Finishing {
    fn from(puzzle: OpenPuzzle) -> Self {
        Self {
            number: puzzle.puzzle_id.get(),
            date: puzzle.play_date.into(),
            open_until: puzzle.playable_until.into(),
        }
    }
}

impl HomeView {
    /// The view of this content.
    pub(crate) fn new(app: &App, home: Home) -> Self {
        let mut open = home.open.into_iter();
        let today = open.next().map(|puzzle| PuzzleText::new(app, puzzle, &GameState::default()));
        let frame = match &today {
            Some(today) => today.frame(app, TITLE.to_owned(), Here::Today),
            None => Frame {
                title: TITLE.to_owned(),
                description: Some(
                    "One item a day. Guess what it costs; the answer comes when the day is over.".to_owned(),
                ),
                canonical: app.absolute("/"),
                image: None,
                indexable: true,
                here: Here::Today,
            },
        };
        Self {
            frame,
            script: assets::SCRIPT.path,
            today,
            finishing: open.next().filter(|_| app.secret.is_some()).map(Finishing::from),
            latest: home.latest.into_iter().map(Card::from).collect(),
        }
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}
