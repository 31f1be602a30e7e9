//! The state of a game, as its player carries it: what was guessed so far, signed.
//!
//! A guess is judged on the server, and nothing is written for it: a store that counts its
//! writes would be at the mercy of whoever guesses. So the game goes out with each verdict
//! and comes back with the next guess, as `PUZZLE.TURNS.SESSION.SIGNATURE`. A turn is the
//! guess in cents and a letter for what was said to it, such as `1899h`. It can be read by
//! anybody and made by nobody else. It holds no price and nothing that was derived from one
//! beyond the verdicts: not even a lost game tells what it was about.
//!
//! Environment and purpose are signed with it, as with the links of
//! [`crate::preview_link`], so that a game of a staging site is none in production. It needs
//! no instant at which it ends: it ends with its puzzle, by the store's clock.
//!
//! What a signature cannot do is forget. Whoever keeps an older token of their own game can
//! go back to it and guess again, as whoever plays under a new name can. That is a limit
//! which is put up with: a session is recorded once, so nobody is counted twice, and
//! remembering every guess would be a write for each.

use fencepost_domain::game::{Game, Guess, Turn, Verdict};

use crate::{
    asked::{Asked, Told},
    config::App,
    problem::Problem,
};

/// What games are signed for.
const PURPOSE: &str = "game";
/// No token is longer: a number of 16 digits, six guesses of 9 digits and a letter with five
/// signs between them, a session of 64 characters, a signature of 64, and three points.
const LONGEST: usize = 16 + 6 * (9 + 1) + 5 + 64 + 64 + 3;

/// Signs games, and reads those that it has signed. To be asked for before the body: a site
/// without a secret has no game, whatever is sent to it.
pub(crate) struct GameTokens {
    app: App,
}

impl Told for GameTokens {
    type Refusal = Problem;

    fn read(asked: &mut Asked) -> Result<Self, Problem> {
        Self::of(asked.app()).ok_or_else(Problem::no_secret)
    }
}

impl GameTokens {
    /// Those of a site that has a secret.
    pub(crate) fn of(app: &App) -> Option<Self> {
        app.secret.is_some().then(|| Self { app: app.clone() })
    }

    /// The token of a game. Without a secret it is signed by nobody, and read by nobody.
    pub(crate) fn token(&self, game: &Game) -> String {
        let parts = parts(game);
        let secret = self.app.secret.as_ref();
        let signature = secret.map(|secret| secret.sign(&self.app.environment, PURPOSE, &parts));
        format!("{}.{}", parts.join("."), signature.unwrap_or_default())
    }

    /// The game of a token that this site has made.
    pub(crate) fn read(&self, token: &str) -> Option<Game> {
        if token.len() > LONGEST {
            return None;
        }
        let (spelled, signature) = token.rsplit_once('.')?;
        let game = game(spelled)?;
        let parts = parts(&game);
        // A game has one spelling.
        let is_own = parts.join(".") == spelled
            && self.app.secret.as_ref()?.has_signed(&self.app.environment, PURPOSE, &parts, signature);
        is_own.then_some(game)
    }
}

/// What is signed.
fn parts(game: &Game) -> [String; 3] {
    let turns: Vec<_> = game.turns().iter().map(spell).collect();
    [game.puzzle_id().to_string(), turns.join("-"), game.session_id().to_string()]
}

fn spell(turn: &Turn) -> String {
    let letter = match turn.verdict {
        Verdict::Correct => 'c',
        Verdict::Higher { close: false } => 'h',
        Verdict::Higher { close: true } => 'H',
        Verdict::Lower { close: false } => 'l',
        Verdict::Lower { close: true } => 'L',
    };
    format!("{}{letter}", turn.guess.cents())
}

/// The game of a text that is signed, if it is one that can have been played. There is no
/// token of a game before its first guess.
fn game(spelled: &str) -> Option<Game> {
    let parts: Vec<_> = spelled.split('.').collect();
    let [puzzle, turns, session] = parts[..] else { return None };
    let turns: Option<Vec<_>> = turns.split('-').map(turn).collect();
    Game::resume(puzzle.parse().ok()?, session.parse().ok()?, &turns?)
}

fn turn(spelled: &str) -> Option<Turn> {
    let letter = spelled.chars().next_back()?;
    let verdict = match letter {
        'c' => Verdict::Correct,
        'h' => Verdict::Higher { close: false },
        'H' => Verdict::Higher { close: true },
        'l' => Verdict::Lower { close: false },
        'L' => Verdict::Lower { close: true },
        _ => return None,
    };
    let cents: i64 = spelled.strip_suffix(letter)?.parse().ok()?;
    Some(Turn { guess: Guess::try_from(cents).ok()?, verdict })
}
