//! Results of the daily game.

use async_trait::async_trait;
use fencepost_domain::{
    id::PuzzleId,
    play::{Play, PlayFacts, SecretPrice},
    results::{
        DayStats, GameOutcome, GameResult, PlayWindow, Recorded, ReportFacts, ResultReport, SessionId, Slot,
        StoredResult,
    },
    time::UnixMillis,
    visibility::AnswerFacts,
};

use super::{MemoryStore, State, state};
use crate::{ResultsLog, Snapshot, StoreError};

#[async_trait]
impl ResultsLog for MemoryStore {
    async fn report(&self, report: &ResultReport) -> Result<Recorded, StoreError> {
        self.write(|state, now| {
            if let Some(slot) = state.report_facts(report).free_slot(now) {
                let stored = state::StoredResult {
                    slot,
                    result: report.result,
                    report_token: Some(report.token.clone()),
                    created_at: now,
                };
                let sessions = state.results.entry(report.puzzle_id).or_default();
                sessions.insert(report.session_id.clone(), stored);
            }
            Ok(state.report_facts(report).outcome(now))
        })
    }

    async fn play(&self, now: Option<UnixMillis>, puzzle: PuzzleId) -> Result<Snapshot<Play>, StoreError> {
        Ok(self.read(|state, clock| {
            let facts = state.play_facts(puzzle);
            state.snapshot(facts.map_or(Play::Unknown, |facts| facts.play(now.unwrap_or(clock))))
        }))
    }
}

impl MemoryStore {
    /// Plants results of a puzzle that has none, in the slots from 1 to `count`: the games
    /// of sessions such as `planted-session-00007`, won with the third guess, that nobody
    /// reported.
    pub fn plant_results(&self, puzzle: PuzzleId, count: i64) -> Result<(), StoreError> {
        self.write(|state, _| {
            let result = GameResult::new(GameOutcome::Won, 3).expect("a game has a third guess");
            let plant = |slot: i64| {
                let session: SessionId =
                    format!("planted-session-{slot:05}").parse().expect("a session's name");
                let stored = state::StoredResult {
                    slot: Slot::new(slot),
                    result,
                    report_token: None,
                    created_at: UnixMillis::new(0),
                };
                (session, stored)
            };
            state.results.insert(puzzle, (1..=count).map(plant).collect());
            Ok(())
        })
    }
}

impl State {
    pub(super) fn results_of(&self, puzzle: PuzzleId) -> impl Iterator<Item = &state::StoredResult> {
        self.results.get(&puzzle).into_iter().flat_map(|sessions| sessions.values())
    }

    /// How a puzzle was played so far, by a look at every result.
    pub(super) fn stats(&self, puzzle: PuzzleId) -> DayStats {
        let mut stats = DayStats::default();
        self.results_of(puzzle).for_each(|stored| stats.count(stored.result));
        stats
    }

    fn play_facts(&self, id: PuzzleId) -> Option<PlayFacts> {
        let puzzle = self.puzzle(id)?;
        let AnswerFacts { opens_at, due_at: _, state, has_page } = self.facts(id)?;
        Some(PlayFacts {
            opens_at,
            state,
            has_page,
            puzzle: self.open_puzzle(puzzle)?,
            price: SecretPrice::of_cents(puzzle.price_cents),
        })
    }

    fn report_facts(&self, report: &ResultReport) -> ReportFacts {
        let puzzle = report.puzzle_id;
        let stored = self.results.get(&puzzle).and_then(|sessions| sessions.get(&report.session_id));
        ReportFacts {
            window: self.puzzle(puzzle).map(PlayWindow::of),
            last_slot: self.results_of(puzzle).map(|stored| stored.slot).max(),
            stored: stored.map(|stored| StoredResult {
                slot: stored.slot,
                result: stored.result,
                is_own: stored.report_token.as_ref() == Some(&report.token),
            }),
        }
    }
}
