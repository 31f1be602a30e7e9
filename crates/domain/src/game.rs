//! The daily game: six guesses at a price, and what is said to each.
//!
//! What is said to a guess is all that a player learns of the price while it is secret, so
//! it is little: whether the price lies above or below, whether the guess was close, and
//! whether it was good enough to win. How far is close follows the habit of such games, a
//! share of the price. So that a cheap item is not harder than a dear one, the share has a
//! floor. Both are measured from the price and not from the guess, and alike in both
//! directions: a guess that is as much too high as another is too low is judged alike.
//!
//! A game itself is a value, and nothing is stored of it before it is over: whoever plays
//! carries it along (signed, so that it cannot be made up). [`Game::resume`] takes only a
//! game that could have been played, and [`Game::guessed`] is the only way on.

use serde::Serialize;

use crate::{
    id::PuzzleId,
    puzzle::MAX_PRICE_CENTS,
    results::{GameOutcome, GameResult, MAX_GUESSES, SessionId},
};

/// How far a guess that wins may be off, in hundredths of the price …
pub const CORRECT_PERCENT: i64 = 1;
/// … and how far in any case, in cents.
pub const CORRECT_CENTS: i64 = 5;
/// How far a close guess may be off, in hundredths of the price …
pub const CLOSE_PERCENT: i64 = 5;
/// … and how far in any case, in cents.
pub const CLOSE_CENTS: i64 = 25;

/// What a player believes to be the price, in whole cents, `1..=MAX_PRICE_CENTS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Guess(i64);

impl Guess {
    /// In cents.
    pub const fn cents(self) -> i64 {
        self.0
    }

    /// What is said to it if this is the price, in cents.
    pub const fn verdict(self, price_cents: i64) -> Verdict {
        let off = self.0.abs_diff(price_cents);
        if off <= reach(price_cents, CORRECT_PERCENT, CORRECT_CENTS) {
            return Verdict::Correct;
        }
        let close = off <= reach(price_cents, CLOSE_PERCENT, CLOSE_CENTS);
        if price_cents > self.0 { Verdict::Higher { close } } else { Verdict::Lower { close } }
    }
}

/// So many hundredths of the price, rounded down, and at least so many cents. A price that
/// no bank can hold is judged as well: nothing here overflows.
const fn reach(price_cents: i64, percent: i64, at_least: i64) -> u64 {
    let share = price_cents.unsigned_abs() / 100 * percent.unsigned_abs()
        + price_cents.unsigned_abs() % 100 * percent.unsigned_abs() / 100;
    if share > at_least.unsigned_abs() { share } else { at_least.unsigned_abs() }
}

impl TryFrom<i64> for Guess {
    type Error = InvalidGuess;

    fn try_from(cents: i64) -> Result<Self, InvalidGuess> {
        if (1..=MAX_PRICE_CENTS).contains(&cents) { Ok(Self(cents)) } else { Err(InvalidGuess) }
    }
}

/// A number that cannot be a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a guess is whole cents from 1 to {MAX_PRICE_CENTS}")]
pub struct InvalidGuess;

/// What is said to a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It wins.
    Correct,
    /// The price is higher.
    Higher {
        /// And not by much.
        close: bool,
    },
    /// The price is lower.
    Lower {
        /// And not by much.
        close: bool,
    },
}

impl Verdict {
    /// The word for it, without how far the guess was off.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::Higher { .. } => "higher",
            Self::Lower { .. } => "lower",
        }
    }

    /// Whether the guess was near to the price. One that wins always was.
    pub const fn is_close(self) -> bool {
        match self {
            Self::Correct => true,
            Self::Higher { close } | Self::Lower { close } => close,
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A guess, and what was said to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// What was guessed.
    pub guess: Guess,
    /// What was said.
    pub verdict: Verdict,
}

/// A game of one session, after some guesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    puzzle_id: PuzzleId,
    session_id: SessionId,
    turns: Vec<Turn>,
}

impl Game {
    /// A game before its first guess.
    pub const fn begin(puzzle_id: PuzzleId, session_id: SessionId) -> Self {
        Self { puzzle_id, session_id, turns: Vec::new() }
    }

    /// A game after these guesses; `None` for one that nobody can have played: with more
    /// guesses than there are, or with one after the end.
    pub fn resume(puzzle_id: PuzzleId, session_id: SessionId, turns: &[Turn]) -> Option<Self> {
        let begun = Self::begin(puzzle_id, session_id);
        turns.iter().try_fold(begun, |game, turn| game.guessed(turn.guess, turn.verdict).ok())
    }

    /// What is played.
    pub const fn puzzle_id(&self) -> PuzzleId {
        self.puzzle_id
    }

    /// Who plays.
    pub const fn session_id(&self) -> &SessionId {
        &self.session_id
    }

    /// What was guessed so far, the first guess first.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// How many guesses were made.
    pub fn guesses_used(&self) -> u8 {
        // There are never more than there are guesses in a game.
        u8::try_from(self.turns.len()).unwrap_or(MAX_GUESSES)
    }

    /// How many are left; none once it is over.
    pub fn guesses_left(&self) -> u8 {
        if self.is_won() { 0 } else { MAX_GUESSES - self.guesses_used() }
    }

    /// How it ended, if it is over.
    pub fn result(&self) -> Option<GameResult> {
        let outcome = match (self.is_won(), self.guesses_left()) {
            (true, _) => GameOutcome::Won,
            (false, 0) => GameOutcome::Lost,
            (false, _) => return None,
        };
        GameResult::new(outcome, i64::from(self.guesses_used())).ok()
    }

    /// The game after a further guess to which this was said.
    ///
    /// # Errors
    /// How the game ended: nobody guesses after that.
    pub fn guessed(&self, guess: Guess, verdict: Verdict) -> Result<Self, GameResult> {
        match self.result() {
            Some(result) => Err(result),
            None => {
                let mut game = self.clone();
                game.turns.push(Turn { guess, verdict });
                Ok(game)
            }
        }
    }

    fn is_won(&self) -> bool {
        self.turns.last().is_some_and(|turn| turn.verdict == Verdict::Correct)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FAR_HIGHER: Verdict = Verdict::Higher { close: false };
    const FAR_LOWER: Verdict = Verdict::Lower { close: false };
    const CLOSE_HIGHER: Verdict = Verdict::Higher { close: true };
    const CLOSE_LOWER: Verdict = Verdict::Lower { close: true };

    #[track_caller]
    fn check(price: i64, guess: i64, expected: Verdict) {
        assert_eq!(Guess(guess).verdict(price), expected, "{guess} for {price}");
    }

    #[test]
    fn a_guess_wins_within_a_hundredth_and_is_close_within_a_twentieth() {
        check(10_000, 10_000, Verdict::Correct);
        check(10_000, 9_900, Verdict::Correct);
        check(10_000, 10_100, Verdict::Correct);
        check(10_000, 9_899, CLOSE_HIGHER);
        check(10_000, 10_101, CLOSE_LOWER);
        check(10_000, 9_500, CLOSE_HIGHER);
        check(10_000, 10_500, CLOSE_LOWER);
        check(10_000, 9_499, FAR_HIGHER);
        check(10_000, 10_501, FAR_LOWER);
        // Shares are rounded down: 18.99 of 1899, and 94.95.
        check(1_899, 1_881, Verdict::Correct);
        check(1_899, 1_880, CLOSE_HIGHER);
        check(1_899, 1_805, CLOSE_HIGHER);
        check(1_899, 1_804, FAR_HIGHER);
        check(1_899, 1_917, Verdict::Correct);
        check(1_899, 1_918, CLOSE_LOWER);
        check(1_899, 1_993, CLOSE_LOWER);
        check(1_899, 1_994, FAR_LOWER);
    }

    #[test]
    fn a_cheap_item_is_judged_by_the_floor() {
        for price in [99, 500] {
            check(price, price - 5, Verdict::Correct);
            check(price, price + 5, Verdict::Correct);
            check(price, price - 6, CLOSE_HIGHER);
            check(price, price + 25, CLOSE_LOWER);
            check(price, price + 26, FAR_LOWER);
            check(price, price - 26, FAR_HIGHER);
        }
        check(1, 6, Verdict::Correct);
        check(1, 7, CLOSE_LOWER);
        check(1, 27, FAR_LOWER);
    }

    #[test]
    fn the_ends_of_all_numbers_are_judged() {
        check(1, MAX_PRICE_CENTS, FAR_LOWER);
        check(MAX_PRICE_CENTS, 1, FAR_HIGHER);
        check(MAX_PRICE_CENTS, MAX_PRICE_CENTS, Verdict::Correct);
        check(i64::MAX, 1, FAR_HIGHER);
        check(i64::MIN, 1, FAR_LOWER);
        check(0, 6, CLOSE_LOWER);
    }

    #[test]
    fn a_guess_is_a_price_that_a_bank_can_hold() {
        for cents in [i64::MIN, -1, 0, MAX_PRICE_CENTS + 1, i64::MAX] {
            assert_eq!(Guess::try_from(cents), Err(InvalidGuess), "{cents}");
        }
        for cents in [1, 1_899, MAX_PRICE_CENTS] {
            assert_eq!(Guess::try_from(cents).map(Guess::cents), Ok(cents));
        }
    }

    #[test]
    fn a_verdict_is_a_word_and_whether_it_was_close() {
        for (verdict, word, close) in [
            (Verdict::Correct, "correct", true),
            (CLOSE_HIGHER, "higher", true),
            (FAR_HIGHER, "higher", false),
            (CLOSE_LOWER, "lower", true),
            (FAR_LOWER, "lower", false),
        ] {
            assert_eq!((verdict.as_str(), verdict.is_close()), (word, close));
            assert_eq!(serde_json::to_value(verdict).unwrap(), word);
        }
    }

    /// The rules again, in exact fractions.
    fn by_fractions(price: i64, guess: i64) -> Verdict {
        let off = i128::from(price - guess).abs();
        let within = |percent: i64, cents: i64| {
            off * 100 <= i128::from(price) * i128::from(percent) || off <= i128::from(cents)
        };
        match (within(1, 5), within(5, 25)) {
            (true, _) => Verdict::Correct,
            (false, close) if price > guess => Verdict::Higher { close },
            (false, close) => Verdict::Lower { close },
        }
    }

    fn a_price() -> impl Strategy<Value = i64> {
        prop_oneof![1..=MAX_PRICE_CENTS, 1..=2_000_i64]
    }

    proptest! {
        #[test]
        fn every_guess_around_every_boundary_is_judged_by_the_exact_fraction(price in a_price()) {
            for share in [0, price / 100, 5, price / 20, 25] {
                for step in -2..=2 {
                    for guess in [price - share + step, price + share + step] {
                        if let Ok(guess) = Guess::try_from(guess) {
                            prop_assert_eq!(guess.verdict(price), by_fractions(price, guess.cents()), "{:?} for {}", guess, price);
                        }
                    }
                }
            }
        }

        #[test]
        fn too_high_and_too_low_are_judged_alike(price in a_price(), off in 0..=MAX_PRICE_CENTS) {
            let (below, above) = (Guess(price - off).verdict(price), Guess(price + off).verdict(price));
            prop_assert_eq!(below.is_close(), above.is_close());
            match (below, above) {
                (Verdict::Correct, Verdict::Correct) => {}
                (Verdict::Higher { .. }, Verdict::Lower { .. }) => {}
                other => prop_assert!(false, "{other:?}"),
            }
        }

        #[test]
        fn a_nearer_guess_is_never_judged_worse(price in a_price(), a in 1..=MAX_PRICE_CENTS, b in 1..=MAX_PRICE_CENTS) {
            let rank = |guess: i64| match Guess(guess).verdict(price) {
                Verdict::Correct => 2,
                verdict => i32::from(verdict.is_close()),
            };
            let (nearer, farther) = if (price - a).abs() <= (price - b).abs() { (a, b) } else { (b, a) };
            prop_assert!(rank(nearer) >= rank(farther));
        }
    }

    fn begun() -> Game {
        Game::begin(7.try_into().unwrap(), "0123456789abcdef".parse().unwrap())
    }

    const GUESS: Guess = Guess(1_899);

    #[test]
    fn a_game_ends_with_the_right_guess_or_with_the_sixth() {
        for winning in 1..=7_u8 {
            let mut game = begun();
            for nth in 1..=6 {
                assert_eq!((game.result(), game.guesses_left()), (None, 7 - nth), "before guess {nth}");
                let verdict = if nth == winning { Verdict::Correct } else { CLOSE_LOWER };
                game = game.guessed(GUESS, verdict).unwrap();
                assert_eq!(game.guesses_used(), nth);
                assert_eq!(game.turns().last(), Some(&Turn { guess: GUESS, verdict }));
                if nth == winning {
                    break;
                }
            }
            let outcome = if winning <= 6 { GameOutcome::Won } else { GameOutcome::Lost };
            let result = GameResult::new(outcome, i64::from(winning.min(6))).unwrap();
            assert_eq!((game.result(), game.guesses_left()), (Some(result), 0));
            for verdict in [Verdict::Correct, FAR_HIGHER] {
                assert_eq!(game.guessed(GUESS, verdict), Err(result), "a guess after the end");
            }
            assert_eq!((game.puzzle_id(), game.session_id()), (begun().puzzle_id(), begun().session_id()));
        }
    }

    #[test]
    fn only_a_game_that_can_have_been_played_is_resumed() {
        let verdicts = [Verdict::Correct, FAR_HIGHER];
        for used in 0..=8_usize {
            for pattern in 0..1_usize << used {
                let turns: Vec<_> = (0..used)
                    .map(|nth| Turn { guess: GUESS, verdict: verdicts[pattern >> nth & 1] })
                    .collect();
                let right = turns.iter().position(|turn| turn.verdict == Verdict::Correct);
                let possible = used <= 6 && right.is_none_or(|nth| nth + 1 == used);
                let game = Game::resume(begun().puzzle_id, begun().session_id, &turns);
                assert_eq!(game.is_some(), possible, "{turns:?}");
                if let Some(game) = game {
                    assert_eq!(game.turns(), turns);
                    assert_eq!(game.result().is_some(), right.is_some() || used == 6, "{turns:?}");
                }
            }
        }
    }
}
