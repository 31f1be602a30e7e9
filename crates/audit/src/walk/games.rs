//! The daily game: what is said to a guess is told to whoever plays, and nothing else is.

use fencepost_domain::{
    game::{Guess, Verdict},
    time::UnixMillis,
};

use super::{Depth, Games, Walk, by_distance};
use crate::{
    ask::{Answer, AskError, Question},
    bank::{KnownPuzzle, Standing},
    surfaces::{first_guess, forms, guess_by_form, guesses, judged, look_by_form, next_guess},
};

/// The guesses of a game.
const GUESSES: usize = 6;

impl Walk<'_> {
    /// Plays what can be played, and tries to play what cannot be any more.
    pub(super) async fn games(
        &mut self,
        now: UnixMillis,
        depth: Depth,
        games: Games,
    ) -> Result<(), AskError> {
        let told = by_distance(self.bank, now, |standing| standing != Standing::Hidden, |it| it.due_at);
        for puzzle in told.into_iter().take(depth.nearest()) {
            self.by_api(puzzle).await?;
            self.by_form(puzzle, games).await?;
        }
        Ok(())
    }

    /// Begins games with guesses of every kind, plays each to its end with the lowest of all
    /// guesses, and once more. No result is reported.
    async fn by_api(&mut self, puzzle: &KnownPuzzle) -> Result<(), AskError> {
        let id = puzzle.id.to_string();
        let kinds: [fn(Verdict) -> bool; 2] = [|verdict| verdict == Verdict::Correct, is_near];
        let telling = kinds.into_iter().filter_map(|kind| judged(puzzle.price_cents?, self.bank, kind));
        let first: Vec<_> = guesses(&id).chain(telling.map(|cents| first_guess(&id, cents))).collect();
        for guess in first {
            let mut answer = self.guess(&guess).await?;
            for _ in 0..=GUESSES {
                let Some(next) = next_guess(&id, &answer.body) else { break };
                answer = self.guess(&next).await?;
            }
        }
        Ok(())
    }

    /// Plays by the form. The guesses that tell most come first: a game that is lost tells them
    /// all. Where the lowest of all guesses wins, nothing is sent that might count a result.
    async fn by_form(&mut self, puzzle: &KnownPuzzle, games: Games) -> Result<(), AskError> {
        let id = puzzle.id.to_string();
        let Some(price) = puzzle.price_cents.filter(|price| is_far(lowest(*price))) else { return Ok(()) };
        for form in forms(&id) {
            self.guess(&form).await?;
        }
        let near = judged(price, self.bank, is_near).unwrap_or(1);
        let mut page = Vec::new();
        for cents in [near].into_iter().chain(std::iter::repeat_n(1, GUESSES - 2)) {
            page = self.guess(&guess_by_form(&id, "lost", cents, &page)).await?.body;
        }
        if let Some(look) = look_by_form(&id, &page) {
            self.ask(&look).await?;
        }
        if games == Games::Ended {
            self.end(&id, "lost", 1, page).await?;
            if let Some(cents) = judged(price, self.bank, |verdict| verdict == Verdict::Correct) {
                self.end(&id, "won", cents, Vec::new()).await?;
            }
        }
        Ok(())
    }

    /// Ends a game by the form, looks at it once more, and guesses after the end.
    async fn end(&mut self, id: &str, session: &str, cents: i64, page: Vec<u8>) -> Result<(), AskError> {
        let end = self.guess(&guess_by_form(id, session, cents, &page)).await?.body;
        if let Some(look) = look_by_form(id, &end) {
            self.ask(&look).await?;
            self.ask(&guess_by_form(id, session, 1, &end)).await?;
        }
        Ok(())
    }

    async fn guess(&mut self, guess: &Question) -> Result<Answer, AskError> {
        let answer = self.ask(guess).await?;
        self.report.guesses += usize::from(answer.status == 200);
        Ok(answer)
    }
}

/// What is said to the lowest of all guesses.
fn lowest(price: i64) -> Verdict {
    Guess::try_from(1).map_or(Verdict::Correct, |guess| guess.verdict(price))
}

const fn is_far(verdict: Verdict) -> bool {
    !verdict.is_close()
}

fn is_near(verdict: Verdict) -> bool {
    verdict.is_close() && verdict != Verdict::Correct
}
