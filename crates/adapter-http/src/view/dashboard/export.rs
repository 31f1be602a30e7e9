//! An export that is too long for one answer.

use askama::Template;
use fencepost_domain::export::Export;

use super::Page;
use crate::view::INFALLIBLE;

/// A part of an export, and where it goes on.
#[derive(Template)]
#[template(path = "dashboard/part.html")]
pub(crate) struct PartPage {
    page: Page,
    export: Export,
    after: i64,
    last: i64,
    this_part: String,
    next_part: String,
}

impl PartPage {
    /// The part behind `after`, up to `last`, with the queries that ask for it and for the next.
    pub(crate) fn new(
        page: Page,
        export: Export,
        (after, this_part): (i64, String),
        (last, next_part): (i64, String),
    ) -> Self {
        Self { page, export, after, last, this_part, next_part }
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}
