//! One answer in a list.

use fencepost_ports::ListedAnswer;

use crate::view::{DateText, PriceText};

/// One answer in a list.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    /// The number of the puzzle.
    pub(crate) number: i64,
    /// What was to be guessed.
    pub(crate) name: String,
    /// When it was played.
    pub(crate) date: DateText,
    /// The answer.
    pub(crate) price: PriceText,
    /// The key of the photo.
    pub(crate) photo: Option<String>,
}

impl From<ListedAnswer> for Card {
    fn from(answer: ListedAnswer) -> Self {
        Self {
            number: answer.puzzle_id.get(),
            name: answer.name,
            date: answer.play_date.into(),
            price: PriceText::of_cents(answer.price_cents),
            photo: answer.image_key.map(String::from),
        }
    }
}
