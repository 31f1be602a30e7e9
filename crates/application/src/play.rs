//! The daily game: a guess is judged, and the result of a game that is over is recorded.
//!
//! The price stays here. A guess is judged at the store's time, by one query, and nothing
//! is written: the game travels with its player, and whoever calls this has seen that the
//! site itself made it. What leads out is the verdict and the game after it.

use fencepost_domain::{
    game::{Game, Guess, Play, Verdict},
    id::PuzzleId,
    results::{GameResult, Recorded, ResultReport, SessionId},
};
use fencepost_ports::StoreError;

use crate::Site;

/// What became of a guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guessed {
    /// It was judged.
    Judged {
        /// What is said to it.
        verdict: Verdict,
        /// The game after it.
        game: Game,
    },
    /// There is no such puzzle, or none yet.
    UnknownPuzzle,
    /// The puzzle is not played any more.
    PlayOver,
    /// The game had ended before.
    GameOver(GameResult),
}

impl Site {
    /// A game of this puzzle before its first guess, for a session that may bring a name.
    pub fn new_game(&self, puzzle_id: PuzzleId, session_id: Option<SessionId>) -> Game {
        Game::begin(puzzle_id, session_id.unwrap_or_else(|| self.tokens.session_id()))
    }

    /// Judges a guess of a game that this site has made.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn guess(&self, game: &Game, guess: Guess) -> Result<Guessed, StoreError> {
        let price_cents = match self.stores.results.play(game.puzzle_id()).await? {
            Play::Open { price_cents } => price_cents,
            Play::Unknown => return Ok(Guessed::UnknownPuzzle),
            Play::Over => return Ok(Guessed::PlayOver),
        };
        let verdict = guess.verdict(price_cents);
        Ok(match game.guessed(verdict) {
            Ok(game) => Guessed::Judged { verdict, game },
            Err(result) => Guessed::GameOver(result),
        })
    }

    /// Records how a game ended that this site has made.
    ///
    /// A report without an answer is told again as it is: whichever try lands, there is one
    /// row, and it carries the token of this report.
    ///
    /// # Errors
    /// A store that does not answer, or not in time; the result may be recorded.
    pub async fn report_result(&self, game: &Game, result: GameResult) -> Result<Recorded, StoreError> {
        let report = ResultReport {
            puzzle_id: game.puzzle_id(),
            session_id: game.session_id().clone(),
            result,
            token: self.tokens.report_token(),
        };
        self.persistently(|| self.stores.results.report(&report)).await
    }
}
