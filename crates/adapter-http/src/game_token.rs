//! The state of a game, as its player carries it: what was played so far, signed.
//!
//! A guess is judged on the server, and nothing is written for it: a store that counts its
//! writes would be at the mercy of whoever guesses. So the game goes out with each verdict
//! and comes back with the next guess, as
//! `PUZZLE.GUESSES.STATE.SESSION.SIGNATURE`. It can be read by anybody and made by nobody
//! else. It holds no price and nothing that was derived from one beyond the verdicts: not
//! even a lost game tells what it was about.
//!
//! Environment and purpose are signed with it, as with the links of
//! [`crate::preview_link`], so that a game of a staging site is none in production. It needs
//! no instant at which it ends: it ends with its puzzle, by the store's clock.
//!
//! What a signature cannot do is forget. Whoever keeps an older token of their own game can
//! go back to it and guess again, as whoever plays under a new name can. That is a limit
//! which is put up with: a session is recorded once, so nobody is counted twice, and
//! remembering every guess would be a write for each.

use axum::{extract::FromRequestParts, http::request::Parts};
use fencepost_domain::{
    game::Game,
    results::{GameOutcome, GameResult},
};

use crate::{config::App, problem::Problem};

/// What games are signed for.
const PURPOSE: &str = "game";
/// No token is longer: a number of 16 digits, a guess, `playing`, a session of 64
/// characters, a signature of 64, and four points.
const LONGEST: usize = 16 + 1 + 7 + 64 + 64 + 4;

/// Signs games, and reads those that it has signed. To be asked for before the body: a site
/// without a secret has no game, whatever is sent to it.
pub(crate) struct GameTokens {
    app: App,
}

impl FromRequestParts<App> for GameTokens {
    type Rejection = Problem;

    async fn from_request_parts(_: &mut Parts, app: &App) -> Result<Self, Problem> {
        if app.secret.is_some() { Ok(Self { app: app.clone() }) } else { Err(Problem::no_secret()) }
    }
}

impl GameTokens {
    /// The token of a game. Without a secret it is signed by nobody, and read by nobody.
    pub(crate) fn token(&self, game: &Game) -> String {
        let parts = parts(game);
        let parts = parts.each_ref().map(String::as_str);
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
        let parts = parts.each_ref().map(String::as_str);
        // A game has one spelling.
        let is_own = parts.join(".") == spelled
            && self.app.secret.as_ref()?.has_signed(&self.app.environment, PURPOSE, &parts, signature);
        is_own.then_some(game)
    }
}

/// What is signed.
fn parts(game: &Game) -> [String; 4] {
    let state = match game.result().map(GameResult::outcome) {
        None => "playing",
        Some(GameOutcome::Won) => "won",
        Some(GameOutcome::Lost) => "lost",
    };
    [
        game.puzzle_id().to_string(),
        game.guesses_used().to_string(),
        state.to_owned(),
        game.session_id().to_string(),
    ]
}

fn game(spelled: &str) -> Option<Game> {
    let parts: Vec<_> = spelled.split('.').collect();
    let [puzzle, guesses, state, session] = parts[..] else { return None };
    Game::resume(puzzle.parse().ok()?, session.parse().ok()?, guesses.parse().ok()?, state == "won")
}
