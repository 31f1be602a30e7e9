//! The daily game, as it is played over the API of a server.

use reqwest::{Response, StatusCode};
use serde_json::{Value, json};

use crate::harness::client;

/// The secret with which servers sign games.
pub(crate) const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// Guesses, and returns the answer as it is.
pub(crate) async fn guess(url: &str, puzzle: i64, body: &Value) -> Response {
    client().post(format!("{url}/api/puzzles/{puzzle}/guess")).json(body).send().await.unwrap()
}

/// Wins a game with its first guess, and returns its token; the refusal if there is no game.
pub(crate) async fn win(url: &str, puzzle: i64, price: i64, session: &str) -> Result<String, Told> {
    let answer = guess(url, puzzle, &json!({ "guess_cents": price, "session_id": session })).await;
    let told = Told::of(answer).await;
    match told.body["outcome"].as_str() {
        Some("won") => Ok(told.body["game"].as_str().unwrap().to_owned()),
        _ => Err(told),
    }
}

/// Reports a result.
pub(crate) async fn report(url: &str, game: &str) -> Told {
    let request = client().post(format!("{url}/api/results")).json(&json!({ "game": game }));
    Told::of(request.send().await.unwrap()).await
}

/// What a player is told.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
}

impl Told {
    pub(crate) async fn of(answer: Response) -> Self {
        let status = answer.status();
        Self { status, body: answer.json().await.unwrap() }
    }

    /// Whether this is the problem of that kind.
    pub(crate) fn is_problem(&self, status: u16, kind: &str) -> bool {
        self.status.as_u16() == status && self.body["type"] == format!("urn:fencepost:problem:{kind}")
    }
}
