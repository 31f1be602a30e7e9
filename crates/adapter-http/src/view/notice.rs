//! What a reader gets instead of a page, in plain words and with a way onward.
//!
//! The notice of an unknown address says nothing about the address: it is one document for
//! the whole site, so that a puzzle of tomorrow cannot be told from a slip of the finger.

use askama::Template;
use axum::http::StatusCode;
use fencepost_domain::{id::PuzzleId, time::UnixMillis};

use crate::view::{Frame, Here, INFALLIBLE, InstantText, UNTOLD_PRICE};

/// What a reader gets instead of a page.
#[derive(Template)]
#[template(path = "notice.html")]
pub(crate) struct Notice {
    frame: Frame,
    /// What stands on the tag: the status, or a price that nobody knows yet.
    tag: String,
    /// In a few words.
    heading: &'static str,
    /// What happened and what to do.
    text: String,
    /// The instant that the text leads up to.
    at: Option<InstantText>,
    /// The puzzle whose answer may be looked for.
    answer: Option<i64>,
}

impl Notice {
    fn new(status: StatusCode, heading: &'static str, text: impl Into<String>) -> Self {
        Self {
            frame: Frame {
                title: heading.to_owned(),
                description: None,
                canonical: None,
                image: None,
                indexable: false,
                here: Here::Elsewhere,
            },
            tag: status.as_str().to_owned(),
            heading,
            text: text.into(),
            at: None,
            answer: None,
        }
    }

    /// There is nothing at this address.
    pub(crate) fn not_found() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "There is nothing here",
            "This address leads nowhere. It may be misspelled, or nothing has been put up here yet.",
        )
    }

    /// The answer's embargo has not ended.
    pub(crate) fn not_yet(puzzle: PuzzleId, due_at: UnixMillis) -> Self {
        let text = format!("The answer to puzzle {puzzle} is still a secret. It comes here at");
        Self { at: Some(due_at.into()), ..Self::untold("Not yet", text) }
    }

    /// The answer's embargo has ended, and the page is not out.
    pub(crate) fn any_moment(puzzle: PuzzleId) -> Self {
        let text = format!(
            "The answer to puzzle {puzzle} is due and on its way. Please look again in half a minute."
        );
        Self::untold("Any moment now", text)
    }

    fn untold(heading: &'static str, text: String) -> Self {
        Self { tag: UNTOLD_PRICE.to_owned(), ..Self::new(StatusCode::NOT_FOUND, heading, text) }
    }

    /// The page was taken back.
    pub(crate) fn withdrawn() -> Self {
        Self::new(
            StatusCode::GONE,
            "This answer was withdrawn",
            "It was public for a while and has been taken back.",
        )
    }

    /// The puzzle is not played any more.
    pub(crate) fn play_over(puzzle: PuzzleId) -> Self {
        let text = format!("Puzzle {puzzle} is not played any more. Its answer is out, or on its way.");
        Self { answer: Some(puzzle.get()), ..Self::new(StatusCode::GONE, "This game is over", text) }
    }

    /// A site without a secret signs no game.
    pub(crate) fn no_game() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "There is no game here",
            "This site takes no guesses. Take one anyway, and hold on to it until the answer comes.",
        )
    }

    /// A form that cannot be read, or is not to be.
    pub(crate) fn unreadable_form(status: StatusCode) -> Self {
        let text = match status {
            StatusCode::FORBIDDEN => "Another site has sent it. Guess on the page of the puzzle.",
            StatusCode::PAYLOAD_TOO_LARGE => "It is far longer than a guess.",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => {
                "A guess is sent as a form, as the page of the puzzle does it."
            }
            _ => "It did not arrive in full. Please try again.",
        };
        Self::new(status, "Your guess could not be read", text)
    }

    /// The client sends more than it may.
    pub(crate) fn too_many_requests(retry_after_seconds: u64) -> Self {
        let text = format!(
            "Too many guesses come from your address. Nothing was judged; \
             please try again in {retry_after_seconds} seconds."
        );
        Self::new(StatusCode::TOO_MANY_REQUESTS, "One moment", text)
    }

    /// The address does not take this method.
    pub(crate) fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "That cannot be done here",
            "This address can be read, but takes nothing else.",
        )
    }

    /// The store cannot be read.
    pub(crate) fn unavailable() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "Back in a moment",
            "The page could not be read just now. An old copy might be wrong, so there is none. \
             Please try again in a few seconds.",
        )
    }

    /// The store holds something that cannot be.
    pub(crate) fn broken() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "This page is broken",
            "Something is wrong with its data. It has been noted and needs a person to repair it; \
             the rest of the site works.",
        )
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}
