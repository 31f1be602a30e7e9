//! The list of answers.

use askama::Template;
use fencepost_application::AnswerList;
use fencepost_domain::time::PlayDate;

use crate::{
    config::App,
    view::{Card, DateText, Frame, Here, INFALLIBLE},
};

/// A page of the list of answers.
#[derive(Template)]
#[template(path = "answers.html")]
pub(crate) struct AnswersView {
    frame: Frame,
    /// The list shows what was played before this date; `None` for its first page.
    before: Option<DateText>,
    answers: Vec<Card>,
    /// Where the list goes on.
    older_than: Option<DateText>,
}

impl AnswersView {
    /// The view of this content.
    pub(crate) fn new(app: &App, before: Option<PlayDate>, list: AnswerList) -> Self {
        let (title, path) = match before {
            None => ("Answers".to_owned(), "/answers".to_owned()),
            Some(date) => (format!("Answers before {}", date.long()), format!("/answers?before={date}")),
        };
        Self {
            frame: Frame {
                title,
                description: Some("What the items of past days cost, newest first.".to_owned()),
                canonical: app.absolute(&path),
                image: None,
                indexable: !list.answers.is_empty(),
                here: Here::Answers,
            },
            before: before.map(DateText::from),
            answers: list.answers.into_iter().map(Card::from).collect(),
            older_than: list.older_than.map(DateText::from),
        }
    }

    /// Whether search engines may keep it: an empty list says nothing.
    pub(crate) fn indexable(&self) -> bool {
        self.frame.indexable
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}
