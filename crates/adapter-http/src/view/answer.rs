//! One answer page.

use askama::Template;
use fencepost_application::{Preview, PreviewAddress, PublicAnswer};
use fencepost_domain::{id::PuzzleId, page::AnswerContent};
use fencepost_ports::Neighbour;

use crate::{
    config::App,
    preview_link,
    view::{ChartText, DateText, Frame, Here, INFALLIBLE, InstantText, NameText, PriceText, article, prose},
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
    /// The path of its photo.
    photo: Option<String>,
    /// What stands in the place of a photo that there is not.
    no_photo: &'static str,
    /// Made safe when it was published; the only text that is not escaped here.
    body_html: String,
    /// How its puzzle was played; nothing of one that is not out.
    chart: Option<ChartText>,
    previous: Option<Link>,
    next: Option<Link>,
    /// Until when this can be read, if it is not the page but a preview of it.
    preview_until: Option<InstantText>,
    /// What the page tells search engines of itself: JSON, safe to embed.
    json_ld: Option<String>,
}

/// The title of an answer.
pub(crate) fn title(name: &str, price: &PriceText) -> String {
    format!("{name}: {}", price.human)
}

/// An answer in one sentence.
pub(crate) fn description(name: &str, price: &PriceText, date: &DateText) -> String {
    format!("{name} cost {}: the answer to the daily price game of {}.", price.human, date.human)
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
        let PublicAnswer { page, stats, previous, next } = answer;
        let (published_at, updated_at) = (page.published_at, page.updated_at);
        let view = Self::of_content(app, puzzle_id, page.content, page.indexable);
        let addresses = app.origin.as_deref().zip(view.frame.canonical.as_deref());
        let json_ld = addresses.map(|(origin, address)| {
            let Frame { title, image, .. } = &view.frame;
            article::json_ld(origin, address, title, published_at, updated_at, image.as_deref())
        });
        Self {
            chart: Some(stats.into()),
            previous: previous.map(Link::from),
            next: next.map(Link::from),
            json_ld,
            ..view
        }
    }

    /// The view of what is not out. It has no address that could be told to anybody, and so
    /// none on its pages; its photo is shown by a link of its own.
    pub(crate) fn preview(app: &App, preview: Preview) -> Self {
        let Preview { puzzle_id, content, awaits_photo, expires_at } = preview;
        let photo = content.image_key.clone().and_then(|key| {
            let address = PreviewAddress { puzzle_id, photo: Some(key) };
            preview_link::link(app, &address, expires_at)
        });
        let page = Self::of_content(app, puzzle_id, content, false);
        let title = format!("Preview of {}", page.frame.title);
        Self {
            frame: Frame { title, description: None, canonical: None, image: None, ..page.frame },
            photo,
            no_photo: if awaits_photo { "Its photo is not here yet" } else { page.no_photo },
            preview_until: Some(expires_at.into()),
            ..page
        }
    }

    fn of_content(app: &App, puzzle_id: PuzzleId, content: AnswerContent, indexable: bool) -> Self {
        let price = PriceText::of_cents(content.price_cents);
        let date = DateText::from(content.play_date);
        let photo = content.image_key.map(|key| format!("/images/{key}"));
        Self {
            frame: Frame {
                title: title(&content.name, &price),
                description: Some(description(&content.name, &price, &date)),
                canonical: app.absolute(&format!("/answers/{puzzle_id}")),
                image: photo.as_ref().and_then(|path| app.absolute(path)),
                indexable,
                here: Here::Elsewhere,
            },
            number: puzzle_id.get(),
            date,
            name: content.name.into(),
            price,
            photo,
            no_photo: "No photo of this one",
            body_html: prose::on_page(&content.body_html),
            chart: None,
            previous: None,
            next: None,
            preview_until: None,
            json_ld: None,
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
