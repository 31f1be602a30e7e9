//! The game on a page: what was guessed, what was said to it, and what comes next.
//!
//! Everybody's page has the game before its first guess, and is the same for everybody. What
//! a player has made of it stands on the answers to their own guesses only.

use askama::Template;
use fencepost_domain::{
    game::{CLOSE_CENTS, CLOSE_PERCENT, CORRECT_CENTS, CORRECT_PERCENT, Game, Turn, Verdict},
    puzzle::MAX_PRICE_CENTS,
    reading::OpenPuzzle,
    results::{GameOutcome, GameResult, MAX_GUESSES, MAX_RESULTS_PER_PUZZLE, Recorded, Slot},
};

use super::{DateText, InstantText, PriceText, SITE_NAME, number::grouped};
use crate::config::App;

/// What one player has made of the game.
#[derive(Debug, Default)]
pub(crate) struct GameState {
    /// The game, after its first guess.
    pub(crate) game: Option<Game>,
    /// Its token.
    pub(crate) token: Option<String>,
    /// What was wrong with the last try.
    pub(crate) note: Option<GameNote>,
    /// What was typed, if it was not judged.
    pub(crate) typed: Option<String>,
    /// What became of the result, once the game is over.
    pub(crate) counted: Option<Counted>,
}

/// What was wrong with a try that was no guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GameNote {
    /// What was typed is no price.
    NoPrice,
    /// It is one that nothing here costs.
    OutOfRange,
    /// The token is none that this site has made, or another puzzle's.
    CannotGoOn,
}

impl GameNote {
    fn text(self) -> String {
        match self {
            Self::NoPrice => "That is not a price. Write it in dollars and cents, such as 18.99.".to_owned(),
            Self::OutOfRange => {
                let [least, most] = [1, MAX_PRICE_CENTS].map(|cents| PriceText::of_cents(cents).human);
                format!("Nothing here costs that. A guess is between {least} and {most}.")
            }
            Self::CannotGoOn => "Your game could not be continued, so this is a new one.".to_owned(),
        }
    }
}

/// What became of the result of a game that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// It counts, with this number.
    As(Slot),
    /// The session had ended the game otherwise before, and that counts, with this number.
    Earlier(Slot),
    /// The puzzle had all the results that are counted.
    TooMany,
    /// The end of play came first.
    TooLate,
    /// The store has not taken it, or not said so.
    NotYet,
}

impl Counted {
    /// What became of `result`.
    pub(crate) fn of(result: GameResult, recorded: Recorded) -> Self {
        match recorded {
            Recorded::Duplicate { slot, result: first } if first != result => Self::Earlier(slot),
            Recorded::Recorded { slot } | Recorded::Duplicate { slot, .. } => Self::As(slot),
            Recorded::Full => Self::TooMany,
            Recorded::Closed | Recorded::UnknownPuzzle => Self::TooLate,
        }
    }

    fn text(self) -> String {
        let number = |slot: Slot| grouped(slot.get().unsigned_abs());
        match self {
            Self::As(slot) => format!("Your result is counted, as number {} of this puzzle.", number(slot)),
            Self::Earlier(slot) => {
                format!("Your first result counts, as number {} of this puzzle.", number(slot))
            }
            Self::TooMany => {
                let most = grouped(MAX_RESULTS_PER_PUZZLE.unsigned_abs());
                format!("The first {most} results of a puzzle are counted; yours came later.")
            }
            Self::TooLate => "Play has ended meanwhile, so your result is not counted.".to_owned(),
            Self::NotYet => "Your result could not be counted just now.".to_owned(),
        }
    }
}

/// The game on a page.
#[derive(Template)]
#[template(path = "game.html")]
pub(crate) struct GameText {
    number: i64,
    date: DateText,
    rules: String,
    turns: Vec<TurnText>,
    token: Option<String>,
    /// What is said to the last guess, or at the end.
    said: Option<String>,
    note: Option<String>,
    typed: Option<String>,
    /// Whether there is something wrong with that.
    is_invalid: bool,
    /// The number of the guess that comes next.
    next: u8,
    /// How many guesses there are.
    most: u8,
    end: Option<EndText>,
}

struct TurnText {
    guess: PriceText,
    kind: &'static str,
    sign: &'static str,
    word: &'static str,
}

impl From<&Turn> for TurnText {
    fn from(turn: &Turn) -> Self {
        let (kind, sign, word) = match turn.verdict {
            Verdict::Correct => ("correct", "✓", "Found"),
            Verdict::Higher { close: true } => ("close", "↑", "Higher, very close"),
            Verdict::Lower { close: true } => ("close", "↓", "Lower, very close"),
            Verdict::Higher { close: false } => ("far", "↑", "Higher"),
            Verdict::Lower { close: false } => ("far", "↓", "Lower"),
        };
        Self { guess: PriceText::of_cents(turn.guess.cents()), kind, sign, word }
    }
}

/// A game that is over.
struct EndText {
    outcome: &'static str,
    used: u8,
    answer_at: InstantText,
    counted: Option<String>,
    count_again: bool,
    share: String,
    /// How many lines that has.
    share_lines: usize,
}

impl GameText {
    /// The game of this puzzle.
    pub(crate) fn new(app: &App, puzzle: &OpenPuzzle, state: &GameState) -> Self {
        let turns = state.game.as_ref().map(Game::turns).unwrap_or_default();
        let result = state.game.as_ref().and_then(Game::result);
        Self {
            number: puzzle.puzzle_id.get(),
            date: puzzle.play_date.into(),
            rules: rules(),
            turns: turns.iter().map(TurnText::from).collect(),
            token: state.token.clone(),
            said: state.game.as_ref().and_then(said),
            note: state.note.map(GameNote::text),
            typed: state.typed.clone(),
            is_invalid: matches!(state.note, Some(GameNote::NoPrice | GameNote::OutOfRange)),
            next: state.game.as_ref().map_or(0, Game::guesses_used) + 1,
            most: MAX_GUESSES,
            end: result.map(|result| EndText::new(app, puzzle, turns, result, state.counted)),
        }
    }

    fn has_begun(&self) -> bool {
        !self.turns.is_empty()
    }
}

fn rules() -> String {
    format!(
        "You have {MAX_GUESSES} guesses. After each you hear whether the price is higher or lower, and \
         whether you are very close: within {CLOSE_PERCENT}\u{a0}% or {CLOSE_CENTS} cents. Within \
         {CORRECT_PERCENT}\u{a0}% or {CORRECT_CENTS} cents, you have found it."
    )
}

/// What is said to the last guess.
fn said(game: &Game) -> Option<String> {
    let turn = game.turns().last()?;
    let guess = PriceText::of_cents(turn.guess.cents()).human;
    let direction = match turn.verdict {
        Verdict::Correct => {
            return Some(match game.guesses_used() {
                1 => format!("You found it with the first guess: {guess} is right, or as good as."),
                used => format!("You found it with {used} guesses: {guess} is right, or as good as."),
            });
        }
        Verdict::Higher { .. } => "higher",
        Verdict::Lower { .. } => "lower",
    };
    let close = if turn.verdict.is_close() { ", and you are very close" } else { "" };
    let left = match game.guesses_left() {
        0 => "That was your last guess.".to_owned(),
        1 => "You have one guess left.".to_owned(),
        left => format!("You have {left} guesses left."),
    };
    Some(format!("{guess}: the price is {direction}{close}. {left}"))
}

impl EndText {
    fn new(
        app: &App,
        puzzle: &OpenPuzzle,
        turns: &[Turn],
        result: GameResult,
        counted: Option<Counted>,
    ) -> Self {
        let share = share(app, puzzle, turns, result);
        Self {
            outcome: result.outcome().as_str(),
            used: result.guesses_used(),
            answer_at: puzzle.due_at.into(),
            counted: counted.map(Counted::text),
            count_again: counted == Some(Counted::NotYet),
            share_lines: share.lines().count(),
            share,
        }
    }
}

/// What a player can tell others: how it went, and nothing of the price.
fn share(app: &App, puzzle: &OpenPuzzle, turns: &[Turn], result: GameResult) -> String {
    let signs: String = turns
        .iter()
        .map(|turn| match turn.verdict {
            Verdict::Correct => '🟢',
            verdict if verdict.is_close() => '🟡',
            Verdict::Higher { .. } => '🔼',
            Verdict::Lower { .. } => '🔽',
        })
        .collect();
    let score = match result.outcome() {
        GameOutcome::Won => result.guesses_used().to_string(),
        GameOutcome::Lost => "X".to_owned(),
    };
    let text = format!("{SITE_NAME} No. {} {score}/{MAX_GUESSES}\n{signs}", puzzle.puzzle_id);
    match app.absolute(&format!("/play/{}", puzzle.puzzle_id)) {
        Some(address) => format!("{text}\n{address}"),
        None => text,
    }
}
