//! From content to HTML and XML: view models, one per template, and the words on them.
//!
//! A view is made from content alone, never from the instant of the request. Two requests
//! for the same content so get the same bytes, the same tag, and `304` the second time.

mod rendering;
pub(crate) use rendering::{no_stats, nothing, preview, render};

mod frame;
pub(crate) use frame::{Frame, Here, SITE_NAME};

mod instant;
pub(crate) use instant::{DateText, InstantText};

mod number;

mod price;
pub(crate) use price::{PriceText, UNTOLD_PRICE};

mod name;
pub(crate) use name::NameText;

pub(crate) mod dashboard;

mod game;
pub(crate) use game::{Counted, GameNote, GameState, GameText};

mod puzzle;
pub(crate) use puzzle::PuzzleText;

mod home;
pub(crate) use home::HomeView;

mod play;
pub(crate) use play::PlayPageText;

mod answers;
pub(crate) use answers::AnswersView;

mod answer;
pub(crate) use answer::AnswerPageText;

mod chart;
pub(crate) use chart::ChartText;

mod article;

mod prose;

mod feed;
pub(crate) use feed::FeedText;

mod sitemap;
pub(crate) use sitemap::SitemapText;

mod xml;

mod card;
pub(crate) use card::Card;

mod notice;
pub(crate) use notice::Notice;

/// Why rendering cannot fail: a template writes into a `String`, and calls nothing that fails.
const INFALLIBLE: &str = "a template writes into a String";
