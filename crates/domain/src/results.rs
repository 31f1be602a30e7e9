//! Results of the daily game: one per session and puzzle, numbered without a gap.
//!
//! Anybody can report a result, so a store takes a bounded number of them. Each one gets
//! the next *slot* of its puzzle, and the highest slot is the count: what a puzzle has
//! room for is known from one row, however many there are.
//!
//! A report is judged twice. [`ReportFacts::free_slot`] is the condition inside the write;
//! [`ReportFacts::outcome`] tells, after it, what became of the report. They are two
//! functions because a database may look at its clock twice: what the second one says
//! must be right even if the window opened or closed in between.

use std::{fmt, str::FromStr};

use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::{
    id::{PuzzleId, ReportToken},
    puzzle::Puzzle,
    time::UnixMillis,
};

/// The most guesses that a game has.
pub const MAX_GUESSES: u8 = 6;

/// The most results that are taken of one puzzle.
pub const MAX_RESULTS_PER_PUZZLE: i64 = 50_000;

/// Who plays: a name that a browser draws for itself and keeps, such as a UUID.
///
/// It has 16 to 64 characters out of `A-Z`, `a-z`, `0-9`, `_` and `-`, and names that
/// differ in anything, case included, are different sessions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(String);

impl SessionId {
    /// The name as it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SessionId {
    type Err = InvalidSessionId;

    fn from_str(text: &str) -> Result<Self, InvalidSessionId> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if (16..=64).contains(&text.len()) && text.bytes().all(is_allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidSessionId)
        }
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A text that names no session. It is not repeated: it may be anything, of any length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a session id has 16 to 64 characters out of A-Z, a-z, 0-9, _ and -")]
pub struct InvalidSessionId;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameOutcome {
    /// The price was guessed.
    Won,
    /// It was not, with the last guess either.
    Lost,
}

impl GameOutcome {
    /// The word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Lost => "lost",
        }
    }
}

impl Serialize for GameOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl FromStr for GameOutcome {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Self::Won, Self::Lost].into_iter().find(|outcome| outcome.as_str() == text).ok_or(())
    }
}

/// A game that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct GameResult {
    outcome: GameOutcome,
    guesses_used: u8,
}

impl GameResult {
    /// A game that ended like this after so many guesses.
    ///
    /// # Errors
    /// A game that cannot be: without a guess, with more than there are, or lost with
    /// guesses left.
    pub fn new(outcome: GameOutcome, guesses_used: i64) -> Result<Self, ImpossibleResult> {
        let refuse = ImpossibleResult { guesses_used, outcome };
        let guesses_used = u8::try_from(guesses_used).map_err(|_| refuse)?;
        let is_over = outcome == GameOutcome::Won || guesses_used == MAX_GUESSES;
        if (1..=MAX_GUESSES).contains(&guesses_used) && is_over {
            Ok(Self { outcome, guesses_used })
        } else {
            Err(refuse)
        }
    }

    /// How it ended.
    pub const fn outcome(self) -> GameOutcome {
        self.outcome
    }

    /// After how many guesses.
    pub const fn guesses_used(self) -> u8 {
        self.guesses_used
    }
}

/// A game that cannot have been played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no game is {} after {guesses_used} guesses: a game has 1 to 6 guesses, and is lost with the sixth",
    outcome.as_str()
)]
pub struct ImpossibleResult {
    outcome: GameOutcome,
    guesses_used: i64,
}

fencepost_core::counter! {
    /// The number of a result among those of its puzzle, in the order of their arrival.
    Slot,
    /// That of the first result.
    FIRST = 1
}

/// A session that tells how its game went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultReport {
    /// What was played.
    pub puzzle_id: PuzzleId,
    /// Who played.
    pub session_id: SessionId,
    /// How it went.
    pub result: GameResult,
    /// The mark of this report: a row that carries it was written by no other.
    pub token: ReportToken,
}

/// What became of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// The result is stored, by this very report.
    Recorded {
        /// Its number.
        slot: Slot,
    },
    /// The session had reported before. Its earlier result stays as it was.
    Duplicate {
        /// The number of the earlier result.
        slot: Slot,
        /// The earlier result.
        result: GameResult,
    },
    /// The puzzle has as many results as are taken.
    Full,
    /// The puzzle is over.
    Closed,
    /// There is no such puzzle, or none yet: nothing tells the two apart.
    UnknownPuzzle,
}

/// When a puzzle is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayWindow {
    /// From this instant on.
    pub opens_at: UnixMillis,
    /// Until just before this one.
    pub playable_until: UnixMillis,
}

impl PlayWindow {
    /// When `puzzle` is played.
    pub const fn of(puzzle: &Puzzle) -> Self {
        Self { opens_at: puzzle.opens_at, playable_until: puzzle.playable_until }
    }
}

/// The result that a session has stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredResult {
    /// Its number.
    pub slot: Slot,
    /// How its game went.
    pub result: GameResult,
    /// Whether the report in question wrote it.
    pub is_own: bool,
}

/// What a report is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportFacts {
    /// When the puzzle is played; `None` for one that the bank does not have.
    pub window: Option<PlayWindow>,
    /// The highest slot of the puzzle, which is the count of its results.
    pub last_slot: Option<Slot>,
    /// What the session has stored.
    pub stored: Option<StoredResult>,
}

impl ReportFacts {
    /// The slot that the report gets at `now`; `None` if it writes nothing.
    pub fn free_slot(&self, now: UnixMillis) -> Option<Slot> {
        let is_free = self.stored.is_none() && self.refusal(now).is_none();
        is_free.then(|| self.last_slot.map_or(Slot::FIRST, Slot::next))
    }

    /// What became of the report, judged at `now` by what stands after its write.
    ///
    /// Whether it was recorded is told by the row alone, whatever time it is meanwhile: a
    /// report in the last millisecond counts. Where there is no row, `now` names the
    /// reason. It may lie a moment after the instant at which the write was refused, and
    /// then names what would refuse the report by now. If nothing would, the puzzle has
    /// opened in between, and the report came while it was unknown. (A clock that was set
    /// back over the end of play in that moment gives the same answer. Nothing is lost by
    /// it: whoever reports again is told anew.)
    pub fn outcome(&self, now: UnixMillis) -> Recorded {
        match self.stored {
            Some(StoredResult { slot, is_own: true, .. }) => Recorded::Recorded { slot },
            Some(StoredResult { slot, result, is_own: false }) => Recorded::Duplicate { slot, result },
            None => self.refusal(now).unwrap_or(Recorded::UnknownPuzzle),
        }
    }

    /// Why the puzzle takes no result at `now`, if it does not.
    fn refusal(&self, now: UnixMillis) -> Option<Recorded> {
        let Some(window) = self.window.filter(|window| window.opens_at <= now) else {
            return Some(Recorded::UnknownPuzzle);
        };
        if now >= window.playable_until {
            return Some(Recorded::Closed);
        }
        let is_full = self.last_slot.is_some_and(|slot| slot.get() >= MAX_RESULTS_PER_PUZZLE);
        is_full.then_some(Recorded::Full)
    }
}

/// How a puzzle was played by all who reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DayStats {
    /// How many won with the first guess, with the second, and so on.
    pub won_with: [i64; MAX_GUESSES as usize],
    /// How many lost.
    pub lost: i64,
}

impl DayStats {
    /// Those of so many results, of which as many were won with each number of guesses.
    pub fn of(results: i64, won_with: [i64; MAX_GUESSES as usize]) -> Self {
        Self { won_with, lost: results - won_with.iter().sum::<i64>() }
    }

    /// Counts one more result.
    pub fn count(&mut self, result: GameResult) {
        match result.outcome {
            GameOutcome::Won => self.won_with[usize::from(result.guesses_used - 1)] += 1,
            GameOutcome::Lost => self.lost += 1,
        }
    }

    /// How many won.
    pub fn won(&self) -> i64 {
        self.won_with.iter().sum()
    }

    /// How many reported.
    pub fn results(&self) -> i64 {
        self.won() + self.lost
    }
}

impl Serialize for DayStats {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stats = serializer.serialize_struct("DayStats", 4)?;
        stats.serialize_field("results", &self.results())?;
        stats.serialize_field("won", &self.won())?;
        stats.serialize_field("lost", &self.lost)?;
        stats.serialize_field("won_with", &self.won_with)?;
        stats.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_id_is_what_a_browser_draws() {
        for text in
            ["6b1e9f4c-52d0-4c8e-9d8e-0f6b7a1c2d3e", "0123456789abcdef", "A-Z_a-z_0-9_____", &"x".repeat(64)]
        {
            let id: SessionId = text.parse().unwrap();
            assert_eq!((id.as_str(), id.to_string().as_str()), (text, text));
        }
        for text in [
            "",
            "0123456789abcde",
            &"x".repeat(65),
            "0123456789abcde ",
            "0123456789abcdé",
            "0123456789abcdef\n",
        ] {
            assert!(text.parse::<SessionId>().is_err(), "{text:?} was accepted");
        }
    }

    #[test]
    fn a_game_is_over_when_it_is_won_or_the_guesses_are_used_up() {
        for guesses in -1..=300 {
            let won = (1..=6).contains(&guesses);
            assert_eq!(GameResult::new(GameOutcome::Won, guesses).is_ok(), won, "won with {guesses}");
            assert_eq!(
                GameResult::new(GameOutcome::Lost, guesses).is_ok(),
                guesses == 6,
                "lost with {guesses}"
            );
        }
        let result = GameResult::new(GameOutcome::Won, 3).unwrap();
        assert_eq!((result.outcome(), result.guesses_used()), (GameOutcome::Won, 3));
    }

    const WINDOW: PlayWindow =
        PlayWindow { opens_at: UnixMillis::new(1_000), playable_until: UnixMillis::new(2_000) };

    fn facts(last_slot: i64, stored: Option<(i64, bool)>) -> ReportFacts {
        ReportFacts {
            window: Some(WINDOW),
            last_slot: (last_slot > 0).then(|| Slot::new(last_slot)),
            stored: stored.map(|(slot, is_own)| StoredResult { slot: Slot::new(slot), result: WON, is_own }),
        }
    }

    const WON: GameResult = GameResult { outcome: GameOutcome::Won, guesses_used: 3 };

    #[track_caller]
    fn check_slot(facts: ReportFacts, now: i64, expected: Option<i64>) {
        assert_eq!(facts.free_slot(UnixMillis::new(now)).map(Slot::get), expected, "at {now}");
    }

    #[track_caller]
    fn check_outcome(facts: ReportFacts, now: i64, expected: Recorded) {
        assert_eq!(facts.outcome(UnixMillis::new(now)), expected, "at {now}");
    }

    #[test]
    fn a_slot_is_free_during_play_while_there_is_room_for_a_session_without_one() {
        check_slot(facts(0, None), 999, None);
        check_slot(facts(0, None), 1_000, Some(1));
        check_slot(facts(41, None), 1_999, Some(42));
        check_slot(facts(0, None), 2_000, None);
        check_slot(facts(49_999, None), 1_500, Some(50_000));
        check_slot(facts(50_000, None), 1_500, None);
        check_slot(facts(41, Some((7, false))), 1_500, None);
        check_slot(ReportFacts { window: None, ..facts(0, None) }, 1_500, None);
    }

    #[test]
    fn a_row_tells_more_than_the_clock() {
        let slot = Slot::new(7);
        for now in [0, 999, 1_000, 1_999, 2_000, 9_999] {
            for last in [7, 50_000] {
                check_outcome(facts(last, Some((7, true))), now, Recorded::Recorded { slot });
                check_outcome(facts(last, Some((7, false))), now, Recorded::Duplicate { slot, result: WON });
            }
        }
    }

    #[test]
    fn without_a_row_the_reason_is_told() {
        check_outcome(ReportFacts { window: None, ..facts(0, None) }, 1_500, Recorded::UnknownPuzzle);
        check_outcome(facts(0, None), 999, Recorded::UnknownPuzzle);
        check_outcome(facts(0, None), 2_000, Recorded::Closed);
        check_outcome(facts(50_000, None), 1_999, Recorded::Full);
        check_outcome(facts(50_000, None), 999, Recorded::UnknownPuzzle);
        check_outcome(facts(50_000, None), 2_000, Recorded::Closed);
    }

    #[test]
    fn a_puzzle_that_opened_after_the_write_was_unknown_to_it() {
        check_slot(facts(0, None), 999, None);
        check_outcome(facts(0, None), 1_000, Recorded::UnknownPuzzle);
    }

    #[test]
    fn whoever_did_not_win_has_lost() {
        let stats = DayStats { won_with: [1, 2, 3, 0, 0, 4], lost: 5 };
        assert_eq!((stats.won(), stats.results()), (10, 15));
        let json = serde_json::json!({ "results": 15, "won": 10, "lost": 5, "won_with": [1, 2, 3, 0, 0, 4] });
        assert_eq!(serde_json::to_value(stats).unwrap(), json);
        assert_eq!(DayStats::of(15, stats.won_with), stats);
    }

    #[test]
    fn every_result_is_counted_where_it_belongs() {
        let mut stats = DayStats::default();
        for guesses in [1, 6, 6, 3] {
            stats.count(GameResult::new(GameOutcome::Won, guesses).unwrap());
        }
        stats.count(GameResult::new(GameOutcome::Lost, 6).unwrap());
        assert_eq!(stats, DayStats { won_with: [1, 0, 1, 0, 0, 2], lost: 1 });
    }
}
