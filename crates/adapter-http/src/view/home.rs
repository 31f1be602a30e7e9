//! The front page: today's puzzle, and the newest answers.

use askama::Template;
use fencepost_ports::{Home, TodayPuzzle};

use crate::{
    config::App,
    view::{Card, DateText, Frame, Here, INFALLIBLE, InstantText, NameText, UNTOLD_PRICE},
};

/// The front page.
#[derive(Template)]
#[template(path = "home.html")]
pub(crate) struct HomeView {
    frame: Frame,
    today: Option<Today>,
    latest: Vec<Card>,
}

struct Today {
    number: i64,
    date: DateText,
    name: NameText,
    tag: &'static str,
    photo: Option<String>,
    open_until: InstantText,
    /// When the answer comes, if that is not the end of play.
    answer_at: Option<InstantText>,
}

impl From<TodayPuzzle> for Today {
    fn from(puzzle: TodayPuzzle) -> Self {
        let apart = puzzle.due_at != puzzle.playable_until;
        Self {
            number: puzzle.puzzle_id.get(),
            date: puzzle.play_date.into(),
            name: puzzle.name.into(),
            tag: UNTOLD_PRICE,
            photo: puzzle.image_key.map(String::from),
            open_until: puzzle.playable_until.into(),
            answer_at: apart.then(|| puzzle.due_at.into()),
        }
    }
}

impl HomeView {
    /// The view of this content.
    pub(crate) fn new(app: &App, home: Home) -> Self {
        let today: Option<Today> = home.today.map(Today::from);
        let description = match &today {
            Some(today) => {
                format!("What does it cost? Today's item: {}. A new one every day.", today.name.text())
            }
            None => "One item a day. Guess what it costs; the answer comes when the day is over.".to_owned(),
        };
        let photo = today.as_ref().and_then(|today| today.photo.as_ref());
        Self {
            frame: Frame {
                title: "What does it cost?".to_owned(),
                description: Some(description),
                canonical: app.absolute("/"),
                image: photo.and_then(|key| app.absolute(&format!("/images/{key}"))),
                indexable: true,
                here: Here::Today,
            },
            today,
            latest: home.latest.into_iter().map(Card::from).collect(),
        }
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}
