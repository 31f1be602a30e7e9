//! What every page of the dashboard has around its content.

use std::borrow::Cow;

use askama::Template;
use fencepost_domain::outcome::Outcome;
use url::form_urlencoded;

use crate::{assets, config::App, session::Session, view::INFALLIBLE};

/// What was done right before, as the address of the page that follows tells it: one of a
/// few words, so that nobody can put another into an operator's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// A puzzle of the bank was saved.
    Saved,
    /// A change of one item came to this end.
    Outcome(Outcome),
    /// The answer was moved.
    Rescheduled,
    /// A setting was set.
    Set,
    /// An item may be tried again.
    Retried,
    /// The site was paused.
    Paused,
    /// The site goes on.
    Resumed,
    /// An event is tried again.
    Resent,
}

impl Done {
    const WORDS: [(&'static str, Self); 12] = [
        ("saved", Self::Saved),
        ("set", Self::Set),
        ("retried", Self::Retried),
        ("rescheduled", Self::Rescheduled),
        ("paused", Self::Paused),
        ("resumed", Self::Resumed),
        ("resent", Self::Resent),
        ("published", Self::Outcome(Outcome::Published)),
        ("updated", Self::Outcome(Outcome::Updated)),
        ("withdrawn", Self::Outcome(Outcome::Withdrawn)),
        ("reinstated", Self::Outcome(Outcome::Reinstated)),
        ("unchanged", Self::Outcome(Outcome::Unchanged)),
    ];

    /// The query of an address that tells it.
    pub(crate) fn query(self) -> String {
        let word = Self::WORDS.iter().find(|(_, done)| *done == self).map_or("", |(word, _)| word);
        format!("done={word}")
    }

    /// What a query tells.
    pub(crate) fn told_by(query: Option<&str>) -> Option<Self> {
        let mut pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        let (_, word) = pairs.find(|(name, _)| name == "done")?;
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, done)| *done)
    }

    fn text(self) -> &'static str {
        match self {
            Self::Saved => "It is saved in the bank.",
            Self::Rescheduled => "The answer was moved.",
            Self::Set => "It is set, for every process and Worker of the site.",
            Self::Retried => "The next run tries it again.",
            Self::Paused => "The site is paused: nothing becomes public until it is resumed.",
            Self::Resumed => "The site goes on.",
            Self::Resent => "The event is tried again.",
            Self::Outcome(Outcome::Published) => "The answer is published.",
            Self::Outcome(Outcome::Updated) => "The page is brought up to the bank.",
            Self::Outcome(Outcome::Withdrawn) => "The answer is withdrawn.",
            Self::Outcome(Outcome::Reinstated) => "The answer is reinstated.",
            Self::Outcome(_) => "Everything was as wanted already; nothing was changed.",
        }
    }
}

/// What every page of the dashboard has around its content.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) operator: String,
    pub(crate) environment: String,
    /// The mark of the session's forms.
    pub(crate) mark: String,
    pub(crate) done: Option<&'static str>,
    pub(crate) complaint: Option<String>,
}

impl Page {
    /// A page for somebody who is signed in.
    pub(crate) fn new(app: &App, session: &Session, title: &str) -> Self {
        Self {
            title: title.to_owned(),
            operator: session.operator.as_str().to_owned(),
            environment: app.environment.clone(),
            mark: session.form_mark(app),
            done: None,
            complaint: None,
        }
    }

    /// The same page, which says what was done.
    pub(crate) fn done(self, done: Option<Done>) -> Self {
        Self { done: done.map(Done::text), ..self }
    }

    /// The same page, which says why something was not done.
    pub(crate) fn complaining(self, complaint: String) -> Self {
        Self { complaint: Some(complaint), ..self }
    }

    /// The address of the style sheet.
    pub(crate) fn style(&self) -> &'static str {
        assets::DASHBOARD_STYLE.path
    }

    /// The address of the icon.
    pub(crate) fn icon(&self) -> &'static str {
        assets::ICON.path
    }

    /// The document of an address of nothing.
    pub(crate) fn nothing(self) -> String {
        self.refusal("This address of the dashboard leads nowhere.")
    }

    /// The document that says why something was not done.
    pub(crate) fn refusal(self, why: impl Into<Cow<'static, str>>) -> String {
        RefusalPage { page: self, why: why.into() }.render().expect(INFALLIBLE)
    }
}

#[derive(Template)]
#[template(path = "dashboard/refusal.html")]
struct RefusalPage {
    page: Page,
    why: Cow<'static, str>,
}
