//! One answer page.

use askama::Template;
use fencepost_application::PublicAnswer;
use fencepost_domain::id::PuzzleId;
use fencepost_ports::Neighbour;

use crate::{
    config::App,
    view::{DateText, Frame, Here, INFALLIBLE, NameText, PriceText},
};

/// One answer page.
#[derive(Template)]
#[template(path = "answer.html")]
pub(crate) struct AnswerPageText {
    frame: Frame,
    number: i64,
    date: DateText,
    name: NameText,
    price: PriceText,
    photo: Option<String>,
    /// Made safe when it was published; the only text that is not escaped here.
    body_html: String,
    previous: Option<Link>,
    next: Option<Link>,
}

struct Link {
    number: i64,
    name: String,
    date: DateText,
}

impl From<Neighbour> for Link {
    fn from(neighbour: Neighbour) -> Self {
        Self { number: neighbour.puzzle_id.get(), name: neighbour.name, date: neighbour.play_date.into() }
    }
}

impl AnswerPageText {
    /// The view of this content.
    pub(crate) fn new(app: &App, puzzle_id: PuzzleId, answer: PublicAnswer) -> Self {
        let content = answer.page.content;
        let price = PriceText::of_cents(content.price_cents);
        let date = DateText::from(content.play_date);
        let photo = content.image_key.map(String::from);
        Self {
            frame: Frame {
                title: format!("{}: {}", content.name, price.human),
                description: Some(format!(
                    "{} cost {}: the answer to the daily price game of {}.",
                    content.name, price.human, date.human
                )),
                canonical: app.absolute(&format!("/answers/{puzzle_id}")),
                image: photo.as_ref().and_then(|key| app.absolute(&format!("/images/{key}"))),
                indexable: answer.page.indexable,
                here: Here::Elsewhere,
            },
            number: puzzle_id.get(),
            date,
            name: content.name.into(),
            price,
            photo,
            body_html: content.body_html,
            previous: answer.previous.map(Link::from),
            next: answer.next.map(Link::from),
        }
    }

    /// Whether search engines may keep it.
    pub(crate) fn indexable(&self) -> bool {
        self.frame.indexable
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}
