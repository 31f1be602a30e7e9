//! The daily game: whether a puzzle is played, and the result of a game that is over.
//!
//! The price is read at the store's time, by one query, and comes as a
//! [`SecretPrice`](fencepost_domain::play::SecretPrice), which judges guesses and tells
//! nothing else. Nothing is written for a guess: the game travels with its player, and
//! whoever calls this has seen that the site itself made it.

use fencepost_domain::{
    game::Game,
    id::PuzzleId,
    play::Play,
    reading::Snapshot,
    results::{GameResult, Recorded, ResultReport, SessionId},
};
use fencepost_ports::{SiteNames as _, StoreError};

use crate::Site;

impl Site {
    /// Whether a puzzle is played at this moment, and how a guess at it is judged.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn play(&self, puzzle_id: PuzzleId) -> Result<Snapshot<Play>, StoreError> {
        self.stores.results.play(None, puzzle_id).await
    }

    /// A game of this puzzle before its first guess, for a session that may bring a name.
    pub fn new_game(&self, puzzle_id: PuzzleId, session_id: Option<SessionId>) -> Game {
        Game::begin(puzzle_id, session_id.unwrap_or_else(|| self.tokens.session_id()))
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
