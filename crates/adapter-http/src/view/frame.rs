//! What every page has around its content.

use crate::assets;

/// The name of the site, in titles and on the masthead.
pub(crate) const SITE_NAME: &str = "Fencepost";

/// The part of the site that a page belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Here {
    /// The game of the day.
    Today,
    /// The list of answers.
    Answers,
    /// Neither: an answer, or an error.
    Elsewhere,
}

/// What every page has around its content.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// The title, without the site's name.
    pub(crate) title: String,
    /// What a search engine may quote.
    pub(crate) description: Option<String>,
    /// The page's own address, where the site knows it.
    pub(crate) canonical: Option<String>,
    /// The absolute address of the page's photo, where there is one.
    pub(crate) image: Option<String>,
    /// Whether search engines may keep the page.
    pub(crate) indexable: bool,
    /// The entry of the navigation that is current.
    pub(crate) here: Here,
}

impl Frame {
    /// The whole title.
    pub(crate) fn full_title(&self) -> String {
        format!("{} · {SITE_NAME}", self.title)
    }

    /// The name of the site.
    pub(crate) fn site_name(&self) -> &'static str {
        SITE_NAME
    }

    /// The address of the style sheet.
    pub(crate) fn style(&self) -> &'static str {
        assets::STYLE.path
    }

    /// The address of the icon.
    pub(crate) fn icon(&self) -> &'static str {
        assets::ICON.path
    }

    /// Whether the navigation's entry `Today` is this page.
    pub(crate) fn is_today(&self) -> bool {
        self.here == Here::Today
    }

    /// Whether the navigation's entry `Answers` is this page.
    pub(crate) fn is_answers(&self) -> bool {
        self.here == Here::Answers
    }
}
