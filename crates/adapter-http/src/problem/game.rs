//! How the daily game fails. What a player is told holds nothing that was derived from a
//! price, and nothing that tells a puzzle of tomorrow from a number that was never used.

use axum::http::{HeaderValue, StatusCode, header};
use fencepost_domain::{
    game::InvalidGuess,
    id::PuzzleId,
    results::{GameResult, InvalidSessionId, MAX_RESULTS_PER_PUZZLE},
    time::UnixMillis,
};
use fencepost_ports::{StoreError, StoreErrorKind};

use super::Problem;

impl Problem {
    /// No such puzzle, or none yet.
    pub(crate) fn nothing_to_play() -> Self {
        Self::unknown_puzzle("There is no puzzle of this number, or none yet.".to_owned())
    }

    /// A guess that cannot be a price.
    pub(crate) fn invalid_guess(error: InvalidGuess) -> Self {
        Self::invalid_field(
            "urn:fencepost:problem:invalid-guess",
            "The guess is not a price",
            error.to_string(),
            "guess_cents",
        )
    }

    /// A text that names no session.
    pub(crate) fn invalid_session(error: InvalidSessionId) -> Self {
        Self::invalid_field(
            "urn:fencepost:problem:invalid-session",
            "The session has no valid name",
            error.to_string(),
            "session_id",
        )
    }

    /// A token that this site has not made. What is wrong with it is not told.
    pub(crate) fn invalid_game() -> Self {
        let detail = "Send the token `game` as it came with the last guess, or none to begin a new game.";
        Self::invalid_field(
            "urn:fencepost:problem:invalid-game",
            "This site has made no such game",
            detail.to_owned(),
            "game",
        )
    }

    /// A token that was made for something else: `field` is what it does not fit.
    pub(crate) fn foreign_game(field: &str) -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "urn:fencepost:problem:foreign-game",
            "The game is another puzzle's or another session's",
            "Send the token that came with the last guess at this puzzle, with the session that it names or none.",
        )
        .with("field", field)
    }

    /// A guess after the end of its game.
    pub(crate) fn game_over(result: GameResult) -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "urn:fencepost:problem:game-over",
            "The game is over",
            "Nobody guesses after the end. Report the result with `POST /api/results`.",
        )
        .with("outcome", result.outcome())
        .with("guesses_used", result.guesses_used())
    }

    /// The result of a game that has none yet.
    pub(crate) fn game_not_over(guesses_left: u8) -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "urn:fencepost:problem:game-not-over",
            "The game is not over",
            "A result is taken when the price was guessed, or when all guesses are used up.",
        )
        .with("guesses_left", guesses_left)
    }

    /// The puzzle is not played any more.
    pub(crate) fn play_over(puzzle_id: PuzzleId) -> Self {
        let answer = format!("/answers/{puzzle_id}");
        Self::new(
            StatusCode::GONE,
            "urn:fencepost:problem:play-over",
            "This puzzle is not played any more",
            format!("Neither guesses nor results are taken. The answer is at {answer}, or will be."),
        )
        .with("answer", answer)
    }

    /// The puzzle has as many results as are taken.
    pub(crate) fn results_full() -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "urn:fencepost:problem:results-full",
            "This puzzle takes no more results",
            format!("The first {MAX_RESULTS_PER_PUZZLE} results of a puzzle are counted."),
        )
    }

    /// Statistics of a puzzle whose answer is not out. The wait is the answer's.
    pub(crate) fn stats_not_out(due_at: Option<UnixMillis>) -> Self {
        let problem = Self::new(
            StatusCode::NOT_FOUND,
            "urn:fencepost:problem:stats-not-out",
            "There are no statistics yet",
            "How a puzzle was played is told when its answer is out; the header `Retry-After` says when.",
        );
        match due_at {
            Some(due_at) => problem.with("due_at", due_at),
            None => problem,
        }
    }

    /// Statistics of a puzzle whose answer was taken back.
    pub(crate) fn stats_withdrawn() -> Self {
        Self::new(
            StatusCode::GONE,
            "urn:fencepost:problem:stats-withdrawn",
            "There are no statistics any more",
            "The answer of this puzzle was taken back.",
        )
    }

    /// The client asks more often than it may.
    pub(crate) fn too_many_requests(retry_after_seconds: u64) -> Self {
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "urn:fencepost:problem:too-many-requests",
            "Too many requests come from your address",
            "Nothing was judged or recorded. The header `Retry-After` says in how many seconds to try again.",
        )
        .with_header(header::RETRY_AFTER, HeaderValue::from(retry_after_seconds))
    }

    /// The store misbehaved. What it said is for the log: it names tables and files.
    pub(crate) fn of_store_for_players(error: &StoreError) -> Self {
        tracing::error!(kind = ?error.kind(), "a player's request failed: {error}");
        if error.kind() == StoreErrorKind::Corrupt {
            return Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "urn:fencepost:problem:broken",
                "Something here wants repair",
                "The log of the site says what.",
            );
        }
        Self::store_unavailable(
            "Send the same again in a moment. A result that was recorded after all is not recorded twice.",
        )
    }

    fn invalid_field(kind: &'static str, title: &'static str, detail: String, field: &str) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, kind, title, detail).with("field", field)
    }
}
