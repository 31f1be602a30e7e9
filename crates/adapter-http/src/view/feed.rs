//! The feed: the newest answers, in Atom (RFC 4287).
//!
//! A reader of feeds shows an entry far from the site, so every address in it is absolute,
//! but for the `#` that a description has in the place of a link that is not safe. That one
//! leads to the page, which is the base of the entry's content.
//! An entry is known by the address of its page, which never changes. The feed was updated
//! when the newest commit among its entries was, and an empty one when time began: the
//! instant of the request would make every copy a new one, and a date of the bank would
//! tell of what is still to come.

use askama::Template;
use fencepost_domain::time::UnixMillis;
use fencepost_ports::FeedEntry;

use crate::view::{DateText, INFALLIBLE, PriceText, SITE_NAME, answer, xml};

/// The feed.
#[derive(Template)]
#[template(path = "feed.xml")]
pub(crate) struct FeedText {
    origin: String,
    updated: UnixMillis,
    entries: Vec<Entry>,
}

struct Entry {
    address: String,
    title: String,
    published_at: UnixMillis,
    updated_at: UnixMillis,
    /// In one sentence.
    summary: String,
    /// HTML, which the feed carries as a text.
    content: String,
}

/// What a reader of feeds shows of an answer.
#[derive(Template)]
#[template(path = "feed_entry.html")]
struct EntryHtml<'a> {
    summary: &'a str,
    photo: Option<String>,
    name: &'a str,
    /// Made safe when it was published; the only text that is not escaped here.
    body_html: Option<String>,
    address: &'a str,
}

impl FeedText {
    /// The view of this content, on the site with this origin.
    pub(crate) fn new(origin: &str, entries: Vec<FeedEntry>) -> Self {
        let updated = entries.iter().map(|entry| entry.updated_at).max();
        Self {
            origin: origin.to_owned(),
            updated: updated.unwrap_or(UnixMillis::new(0)),
            entries: entries.into_iter().map(|entry| Entry::new(origin, entry)).collect(),
        }
    }

    /// The document.
    pub(crate) fn xml(&self) -> String {
        xml::without_forbidden(self.render().expect(INFALLIBLE))
    }
}

impl Entry {
    fn new(origin: &str, entry: FeedEntry) -> Self {
        let price = PriceText::of_cents(entry.price_cents);
        let summary = answer::description(&entry.name, &price, &DateText::from(entry.play_date));
        let address = format!("{origin}/answers/{}", entry.puzzle_id);
        let html = EntryHtml {
            summary: &summary,
            photo: entry.image_key.map(|key| format!("{origin}/images/{key}")),
            name: &entry.name,
            body_html: entry.body_html,
            address: &address,
        };
        Self {
            title: answer::title(&entry.name, &price),
            published_at: entry.published_at,
            updated_at: entry.updated_at,
            content: html.render().expect(INFALLIBLE),
            summary,
            address,
        }
    }
}
