//! A puzzle while it is played: all of it is public, except what it is about.
//!
//! A guess is judged where the price is, and a page shows the same puzzle to everybody. The
//! two are read at once, so the price is in the hands of code that also renders. A
//! [`SecretPrice`] can therefore be asked one thing, what is said to a guess. It cannot be
//! read, printed or serialised, and no other type here has the price at all.

use std::fmt;

use crate::{
    game::{Game, Guess, Verdict},
    ledger::ItemState,
    reading::OpenPuzzle,
    results::GameResult,
    time::UnixMillis,
    visibility::{AnswerFacts, AnswerVisibility},
};

/// A price that judges guesses and tells nothing else.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SecretPrice(i64);

impl SecretPrice {
    /// The price of so many cents.
    pub const fn of_cents(cents: i64) -> Self {
        Self(cents)
    }

    /// What is said to a guess.
    pub const fn verdict(self, guess: Guess) -> Verdict {
        guess.verdict(self.0)
    }
}

impl fmt::Debug for SecretPrice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretPrice")
    }
}

/// Whether a puzzle can be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Play {
    /// There is no such puzzle, or none yet, or it was taken back before its answer was
    /// out: nothing tells them apart.
    Unknown,
    /// It is being played.
    Open(Box<OpenPlay>),
    /// Its time is over.
    Over,
}

/// A puzzle that is being played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPlay {
    /// What everybody may know of it.
    pub puzzle: OpenPuzzle,
    /// What it costs.
    pub price: SecretPrice,
}

impl OpenPlay {
    /// A game of this puzzle after a further guess. What was said to it is the verdict of
    /// its last turn.
    ///
    /// # Errors
    /// How the game ended: nobody guesses after that.
    pub fn judge(&self, game: &Game, guess: Guess) -> Result<Game, GameResult> {
        game.guessed(guess, self.price.verdict(guess))
    }
}

/// A puzzle that has opened, and what decides whether it can be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayFacts {
    /// When it opened.
    pub opens_at: UnixMillis,
    /// Where its item stands.
    pub state: ItemState,
    /// Whether its answer has a page.
    pub has_page: bool,
    /// What everybody may know of it while it is played.
    pub puzzle: OpenPuzzle,
    /// What it costs.
    pub price: SecretPrice,
}

impl PlayFacts {
    /// Whether it can be played at `now`. A puzzle of which a reader may know nothing
    /// cannot; where the item of any other stands does not matter.
    pub fn play(self, now: UnixMillis) -> Play {
        let Self { opens_at, state, has_page, puzzle, price } = self;
        let answer = AnswerFacts { opens_at, due_at: puzzle.due_at, state, has_page };
        if answer.visibility(now) == AnswerVisibility::Unknown {
            Play::Unknown
        } else if now < puzzle.playable_until {
            Play::Open(Box::new(OpenPlay { puzzle, price }))
        } else {
            Play::Over
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(state: ItemState, has_page: bool) -> PlayFacts {
        PlayFacts {
            opens_at: UnixMillis::new(1_000),
            state,
            has_page,
            puzzle: OpenPuzzle {
                puzzle_id: 7.try_into().unwrap(),
                play_date: "2026-11-28".parse().unwrap(),
                name: "A lamp".to_owned(),
                image_key: None,
                playable_until: UnixMillis::new(2_000),
                due_at: UnixMillis::new(3_000),
            },
            price: SecretPrice::of_cents(1_899),
        }
    }

    #[test]
    fn a_puzzle_is_played_from_its_opening_to_just_before_the_end() {
        let check = |state, has_page, now, expected| {
            let got = facts(state, has_page).play(UnixMillis::new(now));
            assert_eq!(got, expected, "{state:?}, page {has_page}, at {now}");
        };
        let PlayFacts { puzzle, price, .. } = facts(ItemState::Scheduled, false);
        let open = Play::Open(Box::new(OpenPlay { puzzle, price }));
        for state in [ItemState::Scheduled, ItemState::Processing, ItemState::Blocked] {
            check(state, false, 999, Play::Unknown);
            check(state, false, 1_000, open.clone());
            check(state, false, 1_999, open.clone());
            check(state, false, 2_000, Play::Over);
            check(state, false, 9_999, Play::Over);
        }
        check(ItemState::Published, true, 9_999, Play::Over);
        check(ItemState::Withdrawn, true, 9_999, Play::Over);
        for now in [999, 1_000, 1_999, 2_000, 9_999] {
            check(ItemState::Withdrawn, false, now, Play::Unknown);
        }
    }

    #[test]
    fn a_price_judges_and_is_not_told() {
        let facts = facts(ItemState::Scheduled, false);
        assert_eq!(facts.price.verdict(1_899.try_into().unwrap()), Verdict::Correct);
        assert_eq!(facts.price.verdict(1_000.try_into().unwrap()), Verdict::Higher { close: false });
        assert!(!format!("{facts:?}").contains("1899"), "{facts:?}");
    }

    #[test]
    fn a_guess_is_judged_by_the_price_of_its_puzzle() {
        let Play::Open(open) = facts(ItemState::Scheduled, false).play(UnixMillis::new(1_500)) else {
            panic!("it is being played");
        };
        let game = Game::begin(open.puzzle.puzzle_id, "0123456789abcdef".parse().unwrap());
        let after = open.judge(&game, 1_000.try_into().unwrap()).unwrap();
        assert_eq!(after.turns()[0].verdict, Verdict::Higher { close: false });
        let won = open.judge(&after, 1_899.try_into().unwrap()).unwrap();
        assert_eq!(won.turns()[1].verdict, Verdict::Correct);
        assert_eq!(open.judge(&won, 1_899.try_into().unwrap()), Err(won.result().unwrap()));
    }
}
