//! The pages of the dashboard. They are made for one person at one instant, so unlike those
//! of the site they may say how long ago something was.

mod page;
pub(crate) use page::{Done, Page};

mod span;
pub(crate) use span::{Moment, span};

mod sign_in;
pub(crate) use sign_in::{SignInNote, SignInPage};

mod overview;
pub(crate) use overview::{OverviewPage, Seen, shown_hours};

mod calendar;
pub(crate) use calendar::{CalendarPage, Stretch};

mod timeline;

mod item;
pub(crate) use item::{Beside, ItemPage};

mod editor;
pub(crate) use editor::{Editor, EditorState};

mod bank;
pub(crate) use bank::BankPage;

mod outbox;
pub(crate) use outbox::OutboxPage;
mod action;
pub(crate) use action::ActionsPage;

mod export;
pub(crate) use export::PartPage;

mod run;
pub(crate) use run::{RunPage, RunsPage};
