//! The form to sign in.

use askama::Template;

use crate::{assets, view::INFALLIBLE};

/// What was wrong with the last try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignInNote {
    /// The token is not that of the site.
    WrongToken,
    /// Nobody has said who they are.
    NoName,
    /// Somebody tries too often.
    TooOften {
        /// In how many seconds to come again.
        seconds: u64,
    },
}

impl SignInNote {
    fn text(self) -> String {
        match self {
            Self::WrongToken => "That is not the admin token.".to_owned(),
            Self::NoName => {
                "Please say who you are, in at most 40 characters: it stands on what you do.".to_owned()
            }
            Self::TooOften { seconds } => {
                format!("Too many tries come from your address. Please come again in {seconds} seconds.")
            }
        }
    }
}

/// The form to sign in.
#[derive(Template)]
#[template(path = "dashboard/sign_in.html")]
pub(crate) struct SignInPage {
    note: Option<String>,
    /// What the site lacks to let anybody in.
    missing: Option<&'static str>,
}

impl SignInPage {
    /// The form, with what was wrong with the last try.
    pub(crate) fn new(note: Option<SignInNote>) -> Self {
        Self { note: note.map(SignInNote::text), missing: None }
    }

    /// What is said instead on a site that lacks `missing`.
    pub(crate) fn switched_off(missing: &'static str) -> String {
        Self { note: None, missing: Some(missing) }.html()
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }

    fn style(&self) -> &'static str {
        assets::DASHBOARD_STYLE.path
    }

    fn icon(&self) -> &'static str {
        assets::ICON.path
    }
}
