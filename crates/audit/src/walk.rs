//! The walk over a site.

use std::collections::BTreeSet;

use fencepost_domain::{id::PuzzleId, time::UnixMillis};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    ask::{Answer, Ask, AskError, Question, Window},
    bank::{Bank, KnownPuzzle, Standing},
    finding::{Finding, Kind, Report},
    reading::Reading,
    secrets::{Secret, Secrets},
    surfaces::NOBODYS,
};

/// The header in which a page tells which revision it was made at.
const REVISION: &str = "x-publication-revision";

mod hidden;

mod games;

mod public;

/// How far a walk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// What is next to the instant, quickly.
    Near,
    /// Every surface, and every link that is found on the way, up to some hundred.
    Full,
}

impl Depth {
    /// How many puzzles before and after the instant are looked at in every way.
    const fn nearest(self) -> usize {
        match self {
            Self::Near => 2,
            Self::Full => 8,
        }
    }

    /// How many further ones are looked at in the plainest way.
    const fn further(self) -> usize {
        match self {
            Self::Near => 0,
            Self::Full => 200,
        }
    }

    /// How many addresses are looked at.
    const fn addresses(self) -> usize {
        match self {
            Self::Near => 40,
            Self::Full => 400,
        }
    }
}

/// How far games are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Games {
    /// Up to the last guess of the form, which would count a result. The API counts none
    /// that is not reported, so there they are played to their end.
    Begun,
    /// To their end. Two results are counted for each puzzle that is played, once.
    Ended,
}

/// Asks a site for everything that a stranger could ask for, and tells what should not have
/// been told.
///
/// # Errors
/// A request was not answered, or there is no site that could be looked over: one that gives
/// every request the same error or redirection keeps its secrets, and that says nothing.
pub async fn walk(site: &dyn Ask, bank: &Bank, depth: Depth, games: Games) -> Result<Report, AskError> {
    let nothing = site.ask(&plain(NOBODYS)).await?;
    if nothing.status != 404 || nothing.header(REVISION).is_none() {
        let Question { method, path, .. } = plain(NOBODYS);
        return Err(AskError(format!(
            "{method} {path} was answered with {}, and not as a site does that is up; check its address and its log",
            nothing.status
        )));
    }
    let now = nothing.window.until;
    let text = String::from_utf8_lossy(&nothing.body).into_owned();
    let mut walk = Walk {
        site,
        bank,
        secrets: Secrets::at(bank, now, &text),
        secret_until: bank.next_instant(now),
        harmless: BTreeSet::new(),
        nothing: text,
        revisions: None,
        report: Report { requests: 1, ..Report::default() },
    };
    walk.revisions = walk.revisions().await?;
    // What is hidden comes first: nearest to the beginning, the time is known best.
    walk.hidden(now, depth).await?;
    walk.games(now, depth, games).await?;
    walk.public(now, depth).await?;
    walk.report.skipped.append(&mut walk.secrets.skipped);
    Ok(walk.report)
}

struct Walk<'a> {
    site: &'a dyn Ask,
    bank: &'a Bank,
    secrets: Secrets,
    /// When something stops being secret.
    secret_until: Option<UnixMillis>,
    /// Bodies and headers that hold none of the secrets.
    harmless: BTreeSet<Vec<u8>>,
    /// What an address of nothing says.
    nothing: String,
    /// The site's revisions, as its operator is told.
    revisions: Option<[i64; 2]>,
    report: Report,
}

/// A secret in an answer.
struct Found {
    puzzle_id: PuzzleId,
    what: String,
    evidence: String,
    /// `None` for the bytes of a photo.
    secret: Option<Secret>,
}

impl Found {
    fn is_asked_for(&self, question: &Question) -> bool {
        self.secret.as_ref().is_some_and(|secret| secret.is_asked_for(&question.path))
    }
}

impl Walk<'_> {
    /// The site's revisions, if its operator asks.
    async fn revisions(&mut self) -> Result<Option<[i64; 2]>, AskError> {
        if !self.site.has_token() {
            return Ok(None);
        }
        let status = self.ask(&Question::new("GET", "/admin/api/status").by_operator()).await?;
        let status: Value = serde_json::from_slice(&status.body).unwrap_or_default();
        let numbers = ["publication_revision", "bank_revision"].map(|name| status[name].as_i64());
        Ok(match numbers {
            [Some(published), Some(stocked)] => Some([published, stocked]),
            _ => None,
        })
    }

    /// Asks, and looks for secrets in the answer unless it is an operator's.
    async fn ask(&mut self, question: &Question) -> Result<Answer, AskError> {
        self.report.requests += 1;
        let answer = self.site.ask(question).await?;
        if !question.as_operator {
            self.look_into(question, &answer);
        }
        Ok(answer)
    }

    fn look_into(&mut self, question: &Question, answer: &Answer) {
        let Window { until, .. } = answer.window;
        if self.secret_until.is_some_and(|end| end <= until) {
            self.report.skipped.append(&mut self.secrets.skipped);
            self.secrets = Secrets::at(self.bank, until, &self.nothing);
            self.secret_until = self.bank.next_instant(until);
            self.harmless.clear();
        }
        let headers = answer.headers.iter().filter(|(name, _)| name != "date");
        let headers = headers.map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("\n");
        let mut found = self.secrets_in("headers", headers.as_bytes(), || Some(Reading::of(&headers)));
        found.extend(self.secrets_in("body", &answer.body, || Reading::of_body(answer)));
        if let Some(photo) = self.hidden_photo(answer) {
            found.push(photo);
        }
        self.find_early(question, answer);
        for Found { puzzle_id, what, evidence, .. } in
            found.into_iter().filter(|it| !it.is_asked_for(question))
        {
            self.report.find(Finding {
                kind: Kind::EmbargoedBytes,
                surface: question.words(),
                at: until,
                puzzle_id: Some(puzzle_id),
                what,
                evidence,
            });
        }
    }

    /// Reports an answer, or how it was guessed at, that is there before its time: even if
    /// nothing stands in it that is known here.
    fn find_early(&mut self, question: &Question, answer: &Answer) {
        if !matches!(answer.status, 200..=299 | 304) {
            return;
        }
        let at = answer.window.until;
        let early = self.bank.puzzles().find(|puzzle| {
            let comes_with_it = with_the_answer(puzzle.id).contains(&question.path);
            comes_with_it && puzzle.standing(at) == Standing::Open
        });
        if let Some(puzzle) = early {
            self.report.find(Finding {
                kind: Kind::TooEarly,
                surface: question.words(),
                at,
                puzzle_id: Some(puzzle.id),
                what: "status".to_owned(),
                evidence: format!("{} before {}", answer.status, puzzle.due_at),
            });
        }
    }

    /// The secrets in a part of an answer. Most answers are the same as one before.
    fn secrets_in(&mut self, part: &str, bytes: &[u8], read: impl FnOnce() -> Option<Reading>) -> Vec<Found> {
        if self.harmless.contains(bytes) {
            return Vec::new();
        }
        let Some(text) = read() else { return Vec::new() };
        let found: Vec<_> = self
            .secrets
            .found_in(&text)
            .map(|(secret, evidence)| Found {
                puzzle_id: secret.puzzle_id,
                what: format!("{} in the {part}", secret.what),
                evidence,
                secret: Some(secret.clone()),
            })
            .collect();
        if found.is_empty() {
            self.harmless.insert(bytes.to_vec());
        }
        found
    }

    /// The photo of a hidden puzzle, and of no other, if the answer is that.
    fn hidden_photo(&self, answer: &Answer) -> Option<Found> {
        if answer.body.is_empty() || !answer.header("content-type")?.starts_with("image/") {
            return None;
        }
        let digest: String = Sha256::digest(&answer.body).iter().map(|byte| format!("{byte:02x}")).collect();
        let has_it =
            |puzzle: &&KnownPuzzle| puzzle.photo_key.as_ref().is_some_and(|key| key.starts_with(&digest));
        let shown: Vec<_> = self.bank.puzzles().filter(has_it).collect();
        let is_hidden = |puzzle: &&KnownPuzzle| puzzle.standing(answer.window.until) == Standing::Hidden;
        let puzzle = shown.first().filter(|_| shown.iter().all(is_hidden))?;
        let (what, evidence) = (format!("the photo {digest}"), format!("{} bytes", answer.body.len()));
        Some(Found { puzzle_id: puzzle.id, what, evidence, secret: None })
    }
}

fn plain(id: &str) -> Question {
    Question::new("GET", format!("/answers/{id}"))
}

/// The addresses at which there is nothing before a puzzle's answer is out.
fn with_the_answer(id: PuzzleId) -> [String; 2] {
    [format!("/answers/{id}"), format!("/api/puzzles/{id}/stats")]
}

/// The puzzles that stand like this at `now`, those next to it first.
fn by_distance(
    bank: &Bank,
    now: UnixMillis,
    is_wanted: impl Fn(Standing) -> bool,
    instant: impl Fn(&KnownPuzzle) -> UnixMillis,
) -> Vec<&KnownPuzzle> {
    let mut puzzles: Vec<_> = bank.puzzles().filter(|puzzle| is_wanted(puzzle.standing(now))).collect();
    puzzles.sort_by_key(|puzzle| instant(puzzle).since(now).abs());
    puzzles
}
