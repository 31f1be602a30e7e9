//! The list of pages for search engines, as sitemaps.org describes it.
//!
//! It names what they may keep: the front page, the answers that are offered to them, and
//! the list of answers once there is one. The protocol takes fifty thousand addresses in one
//! file; here are the newest ten thousand answers, and older ones are found from page to page.

use askama::Template;
use fencepost_ports::SitemapEntry;

use crate::view::{INFALLIBLE, xml};

/// The list of pages for search engines.
#[derive(Template)]
#[template(path = "sitemap.xml")]
pub(crate) struct SitemapText {
    origin: String,
    entries: Vec<SitemapEntry>,
}

impl SitemapText {
    /// The view of this content, on the site with this origin.
    pub(crate) fn new(origin: &str, entries: Vec<SitemapEntry>) -> Self {
        Self { origin: origin.to_owned(), entries }
    }

    /// The document.
    pub(crate) fn xml(&self) -> String {
        xml::without_forbidden(self.render().expect(INFALLIBLE))
    }
}
