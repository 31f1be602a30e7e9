//! What people did.

use askama::Template;
use fencepost_domain::{
    action::{DetailValue, LoggedAction},
    time::UnixMillis,
};

use super::{Moment, Page};
use crate::view::INFALLIBLE;

/// One action in a list.
pub(crate) struct ActionLine {
    pub(crate) at: Moment,
    pub(crate) actor: String,
    pub(crate) action: &'static str,
    pub(crate) puzzle: Option<i64>,
    pub(crate) reason: String,
    pub(crate) detail: String,
}

impl ActionLine {
    /// How this action looks at `now`.
    pub(crate) fn new(action: &LoggedAction, now: UnixMillis) -> Self {
        let shown =
            |value: &Option<DetailValue>| value.as_ref().map_or("none".to_owned(), ToString::to_string);
        let detail = action.detail.iter().map(|(name, value)| format!("{name} {}", shown(value)));
        Self {
            at: Moment::new(action.at, now),
            actor: action.actor.clone(),
            action: action.action.as_str(),
            puzzle: action.puzzle_id.map(fencepost_domain::id::PuzzleId::get),
            reason: action.reason.clone().unwrap_or_default(),
            detail: detail.collect::<Vec<_>>().join(", "),
        }
    }
}

/// A page of actions, the newest first.
#[derive(Template)]
#[template(path = "dashboard/actions.html")]
pub(crate) struct ActionsPage {
    page: Page,
    actions: Vec<ActionLine>,
    /// Where the list goes on.
    older: Option<i64>,
}

impl ActionsPage {
    /// The view of these actions.
    pub(crate) fn new(page: Page, now: UnixMillis, actions: &[LoggedAction]) -> Self {
        Self {
            page,
            older: actions.last().map(|action| action.number).filter(|number| *number > 1),
            actions: actions.iter().map(|action| ActionLine::new(action, now)).collect(),
        }
    }

    /// The document.
    pub(crate) fn html(&self) -> String {
        self.render().expect(INFALLIBLE)
    }
}
