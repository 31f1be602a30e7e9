//! `/play/{id}`: the daily game as a page, and the form on it.
//!
//! The form works without a script: a guess is answered with the whole page, which holds the
//! game so far in a hidden field. With a script, the same answer is fetched and the game cut
//! out of it, so that what is said to a guess is written in one place. A game that is over is
//! counted right there; its player has nothing further to send.
//!
//! What somebody typed wrong, and a game that cannot go on, are told on the page, beside a
//! form that works.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::Response,
};
use fencepost_application::Address;
use fencepost_domain::{
    game::{Game, Guess},
    id::PuzzleId,
    play::{OpenPlay, Play},
};

use super::{nowhere, page};
use crate::{
    amount,
    cache_headers::{NO_STORE, X_PUBLICATION_REVISION, X_ROBOTS_TAG, html},
    config::App,
    endpoint::{Place, get},
    fault::Fault,
    form::GameForm,
    game_token::GameTokens,
    rate_limit::Limit,
    view::{Counted, GameNote, GameState, Notice, PlayPageText},
};

/// The game as a page.
pub(crate) fn place() -> Place {
    get(puzzle).post(guess).limited(Limit::Form)
}

fn puzzle_id(uri: &Uri) -> Option<PuzzleId> {
    uri.path().strip_prefix("/play/")?.parse().ok()
}

/// A puzzle that is being played.
pub(crate) async fn puzzle(State(app): State<App>, request: Request) -> Result<Response, Fault> {
    match puzzle_id(request.uri()) {
        Some(puzzle_id) => page::serve(&app, Address::Play(puzzle_id), request.headers()).await,
        None => nowhere::respond(&app, request.headers()).await,
    }
}

/// A guess by a form, or a look at the game of a token if there is none in it.
pub(crate) async fn guess(
    State(app): State<App>,
    uri: Uri,
    request: HeaderMap,
    form: GameForm,
) -> Result<Response, Fault> {
    let Some(puzzle_id) = puzzle_id(&uri) else { return nowhere::respond(&app, &request).await };
    let Some(tokens) = GameTokens::of(&app) else {
        return Ok(answer(StatusCode::CONFLICT, Notice::no_game().html()));
    };
    let snapshot = app.site.play(puzzle_id).await?;
    let mut response = match snapshot.value {
        Play::Unknown => return nowhere::respond(&app, &request).await,
        Play::Over => answer(StatusCode::GONE, Notice::play_over(puzzle_id).html()),
        Play::Open(open) => {
            let (status, game, note) = match begun(&app, &tokens, puzzle_id, &form) {
                Ok(game) => played(&open, game, form.guess.as_deref()),
                Err((status, note)) => (status, None, Some(note)),
            };
            let token = game.as_ref().map(|game| tokens.token(game));
            let counted = counted(&app, game.as_ref()).await;
            let typed = note.and(form.guess);
            let state = GameState { game, token, note, typed, counted };
            answer(status, PlayPageText::new(&app, open.puzzle, &state).html())
        }
    };
    response.headers_mut().insert(X_PUBLICATION_REVISION, snapshot.publication_revision.get().into());
    Ok(response)
}

/// The game that the form goes on with, or begins.
fn begun(
    app: &App,
    tokens: &GameTokens,
    puzzle_id: PuzzleId,
    form: &GameForm,
) -> Result<Game, (StatusCode, GameNote)> {
    let Some(token) = &form.game else {
        // A name that is none came from no form of this site; the game gets another.
        let session_id = form.session_id.as_deref().and_then(|name| name.parse().ok());
        return Ok(app.site.new_game(puzzle_id, session_id));
    };
    let game = tokens.read(token).ok_or((StatusCode::UNPROCESSABLE_ENTITY, GameNote::CannotGoOn))?;
    let is_own = game.puzzle_id() == puzzle_id;
    is_own.then_some(game).ok_or((StatusCode::CONFLICT, GameNote::CannotGoOn))
}

/// The game after what was typed.
fn played(open: &OpenPlay, game: Game, typed: Option<&str>) -> (StatusCode, Option<Game>, Option<GameNote>) {
    let shown = |game: Game| (game.guesses_used() > 0).then_some(game);
    let Some(typed) = typed else { return (StatusCode::OK, shown(game), None) };
    let refused = |game, note| (StatusCode::UNPROCESSABLE_ENTITY, shown(game), Some(note));
    let Some(cents) = amount::cents(typed) else { return refused(game, GameNote::NoPrice) };
    let Ok(guess) = Guess::try_from(cents) else { return refused(game, GameNote::OutOfRange) };
    match open.judge(&game, guess) {
        Ok(game) => (StatusCode::OK, Some(game), None),
        // Somebody went back to a page of before the end. What they see is the end.
        Err(_) => (StatusCode::CONFLICT, Some(game), None),
    }
}

/// Records how the game ended, if it has. A game that could not be counted is over all the
/// same; its page has a button that tries again.
async fn counted(app: &App, game: Option<&Game>) -> Option<Counted> {
    let game = game?;
    let result = game.result()?;
    Some(match app.site.report_result(game, result).await {
        Ok(recorded) => Counted::of(result, recorded),
        Err(error) => {
            tracing::error!(kind = ?error.kind(), "a result could not be counted: {error}");
            Counted::NotYet
        }
    })
}

/// A page for one player, which nobody keeps.
fn answer(status: StatusCode, document: String) -> Response {
    let mut response = html(status, document);
    response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
    response.headers_mut().insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
    response
}
