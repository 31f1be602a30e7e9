//! `/api`: the daily game, in JSON, and the description of all that programs can ask for.
//!
//! A guess is judged here and not in the browser, where the price would have to be. What goes
//! out with a verdict is the game after it, signed, which comes back with the next guess; see
//! [`crate::game_token`].
//!
//! Nothing of a player is stored by any cache, with one exception that tells nothing of any
//! player: statistics are a page like the answer beside them. They do not change once they
//! can be seen, and counting them is the dearest query of the site.

use axum::{
    extract::{Request, State},
    http::{HeaderValue, Uri},
    response::{IntoResponse, Response},
};
use fencepost_application::Address;
use fencepost_domain::{
    game::{Game, Guess, Verdict},
    id::PuzzleId,
    play::Play,
    results::{GameOutcome, GameResult, Recorded, SessionId, Slot},
};
use fencepost_ports::StoreError;
use serde::{Deserialize, Serialize};

use super::{asset_files::description, nowhere, page};
use crate::{
    cache_headers::{X_ROBOTS_TAG, respond},
    config::App,
    endpoint::{Place, get, post},
    game_token::GameTokens,
    json::{JsonAnswer, PlayerJson},
    problem::Problem,
    rate_limit::Limit,
    view,
};

/// What an address below `/api` answers, if it is one.
///
/// What players send is limited, since each of it costs the store something that no cache
/// saves. Reading is not, whatever is read.
pub(crate) fn place(path: &[&str]) -> Option<Place> {
    let place = match path {
        ["api", "puzzles", _, "guess"] => post(guess).limited(Limit::Program),
        ["api", "puzzles", _, "stats"] => get(stats),
        ["api", "results"] => post(report).limited(Limit::Program),
        ["api", "openapi.json"] => get(description),
        _ => return None,
    };
    Some(place.otherwise(nowhere::api_method_not_allowed))
}

/// Tells search engines to keep nothing of it.
pub(crate) fn not_for_search_engines(response: &mut Response) {
    response.headers_mut().insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
}

/// Why a player's request has no other answer. Players are told less of a store than
/// operators are.
pub(crate) struct Refusal(Problem);

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self(Problem::of_store_for_players(&error))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

/// A guess.
#[derive(Debug, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "an object with guess_cents, and with game or session_id if there is one"
)]
pub(crate) struct GuessBody {
    guess_cents: i64,
    /// The token that came with the guess before; without one, a game begins.
    game: Option<String>,
    /// Who plays; without a name, the site draws one for a game that begins.
    session_id: Option<String>,
}

/// What is said to a guess.
#[derive(Debug, Serialize)]
pub(crate) struct GuessAnswer {
    puzzle_id: PuzzleId,
    session_id: String,
    verdict: Verdict,
    close: bool,
    guesses_used: u8,
    guesses_left: u8,
    over: bool,
    outcome: Option<GameOutcome>,
    game: String,
}

/// Judges a guess. Nothing is written.
pub(crate) async fn guess(
    State(app): State<App>,
    uri: Uri,
    tokens: GameTokens,
    PlayerJson(body): PlayerJson<GuessBody>,
) -> Result<JsonAnswer<GuessAnswer>, Refusal> {
    let puzzle_id = puzzle_id(&uri).ok_or_else(Problem::nothing_to_play)?;
    let guess = Guess::try_from(body.guess_cents).map_err(Problem::invalid_guess)?;
    let session_id = body.session_id.as_deref().map(str::parse::<SessionId>);
    let session_id = session_id.transpose().map_err(Problem::invalid_session)?;
    let game = match body.game {
        None => app.site.new_game(puzzle_id, session_id),
        Some(token) => resumed(&tokens, &token, puzzle_id, session_id.as_ref())?,
    };
    let open = match app.site.play(puzzle_id).await?.value {
        Play::Open(open) => open,
        Play::Unknown => return Err(Problem::nothing_to_play().into()),
        Play::Over => return Err(Problem::play_over(puzzle_id).into()),
    };
    let game = open.judge(&game, guess).map_err(Problem::game_over)?;
    let turn = game.turns().last().expect("a game that was just judged has a turn");
    Ok(JsonAnswer(GuessAnswer {
        puzzle_id,
        session_id: game.session_id().to_string(),
        verdict: turn.verdict,
        close: turn.verdict.is_close(),
        guesses_used: game.guesses_used(),
        guesses_left: game.guesses_left(),
        over: game.result().is_some(),
        outcome: game.result().map(GameResult::outcome),
        game: tokens.token(&game),
    }))
}

/// The game of a token, if it is one of this puzzle and session.
fn resumed(
    tokens: &GameTokens,
    token: &str,
    puzzle_id: PuzzleId,
    session_id: Option<&SessionId>,
) -> Result<Game, Problem> {
    let game = tokens.read(token).ok_or_else(Problem::invalid_game)?;
    if game.puzzle_id() != puzzle_id {
        return Err(Problem::foreign_game("game"));
    }
    if session_id.is_some_and(|session_id| session_id != game.session_id()) {
        return Err(Problem::foreign_game("session_id"));
    }
    Ok(game)
}

/// A game that is over.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with game")]
pub(crate) struct ResultBody {
    game: String,
}

/// What stands of a session's game.
#[derive(Debug, Serialize)]
pub(crate) struct ResultAnswer {
    puzzle_id: PuzzleId,
    status: &'static str,
    slot: Slot,
    #[serde(flatten)]
    result: GameResult,
}

/// Records the result of a game that is over. A session's first result stands.
pub(crate) async fn report(
    State(app): State<App>,
    tokens: GameTokens,
    PlayerJson(body): PlayerJson<ResultBody>,
) -> Result<JsonAnswer<ResultAnswer>, Refusal> {
    let game = tokens.read(&body.game).ok_or_else(Problem::invalid_game)?;
    let puzzle_id = game.puzzle_id();
    let result = game.result().ok_or_else(|| Problem::game_not_over(game.guesses_left()))?;
    let (status, slot, result) = match app.site.report_result(&game, result).await? {
        Recorded::Recorded { slot } => ("recorded", slot, result),
        Recorded::Duplicate { slot, result } => ("duplicate", slot, result),
        Recorded::Full => return Err(Problem::results_full().into()),
        Recorded::Closed => return Err(Problem::play_over(puzzle_id).into()),
        Recorded::UnknownPuzzle => return Err(Problem::nothing_to_play().into()),
    };
    Ok(JsonAnswer(ResultAnswer { puzzle_id, status, slot, result }))
}

/// How a puzzle was played, once its answer is out.
pub(crate) async fn stats(State(app): State<App>, request: Request) -> Result<Response, Refusal> {
    match puzzle_id(request.uri()) {
        Some(puzzle_id) => page::serve(&app, Address::Stats(puzzle_id), request.headers()).await,
        None => {
            let served = app.site.serve_nothing(view::no_stats()).await?;
            app.heed_overdue(served.overdue, served.now);
            Ok(respond(served, request.headers()))
        }
    }
}

/// The number in `/api/puzzles/{id}/…`, as it was sent: decoded, it would have more than one
/// spelling.
fn puzzle_id(uri: &Uri) -> Option<PuzzleId> {
    uri.path().strip_prefix("/api/puzzles/")?.split('/').next()?.parse().ok()
}
