//! Results of the daily game: one statement that records, and one look at what stands.
//!
//! The statement holds everything: the window of play, the room that is left, the next
//! slot, and that a session has one row. How slots are taken is [`fencepost_batch::slots`]'s.
//!
//! The row in the slot before is looked up as well, for its *tallies*: how the results up
//! to and including itself were won. The new row has these and its own. So the last row of
//! a puzzle tells how it was played by all, and the page of its answer, which shows that,
//! reads no other. Of a row without tallies, see the migration, there is nothing that the
//! next one could add to, so it has none either; a report never counts.
//!
//! What became of a report is told by the row of its session. If the row carries the
//! report's token, this report wrote it. Neither slot nor instant could tell that: of two
//! reports of one session at once, both would find the same row, with the newest slot,
//! and made just now. If there is no row, the reason follows from the puzzle and from the
//! count, which the statement has seen exactly as the read-back sees them, and from the
//! clock, which may have moved on between the two.
//! [`ReportFacts::outcome`](fencepost_domain::results::ReportFacts::outcome) says what is
//! made of that.

use fencepost_batch::{
    Sql,
    slots::{SlotRow, Slotted, Taking, last_slot, take_slot},
};
use fencepost_domain::{
    id::PuzzleId,
    play::{Play, PlayFacts, SecretPrice},
    reading::Snapshot,
    results::{
        DayStats, GameResult, MAX_GUESSES, MAX_RESULTS_PER_PUZZLE, PlayWindow, Recorded, ReportFacts,
        ResultReport, Slot, StoredResult,
    },
    time::UnixMillis,
};

use crate::{
    Batch, DecodeError, Query, Row, Value,
    answer_posts::{OPEN_PHOTO, OPEN_PUZZLE, snapshot},
    clock::CLOCK,
    decode, sql_texts,
};

/// The results of a puzzle: one slot for each session.
pub(crate) enum Results {}

impl Slotted for Results {
    const TABLE: &'static str = "daily_results";
    const GROUP: &'static str = "puzzle_id";
    const WHO: &'static str = "session_id";
    const CAP: i64 = MAX_RESULTS_PER_PUZZLE;
}

sql_texts! {
    /// A result, in the next slot of its puzzle: during play, while there is room, and once
    /// per session.
    RECORD: Taking<Results> = "results_log/record", Sql::take_slot(SlotRow {
        columns: &format!("outcome, guesses_used, report_token, created_at,\n  {}", WON_WITH.join(", ")),
        values: &format!("?4, CAST(?5 AS INTEGER), ?6, clock.now,\n  {}", won_with(",\n  ", |guesses, column| {
            format!("iif(next.slot = 1, 0, before.{column}) + (?4 = 'won' AND CAST(?5 AS INTEGER) = {guesses})")
        })),
        joins: "JOIN puzzles AS p ON p.puzzle_id = ?2
LEFT JOIN daily_results AS before ON before.puzzle_id = ?2 AND before.slot = next.slot - 1",
        condition: "p.opens_at <= clock.now AND clock.now < p.playable_until",
    });
    /// The row of the session, and all that may have been in its way.
    READ_REPORT = "results_log/read_report", format!("\
SELECT clock.now, p.opens_at, p.playable_until, {} AS last_slot,
  d.slot, d.outcome, d.guesses_used, d.report_token IS ?4 AS is_own
FROM {CLOCK}
LEFT JOIN puzzles AS p ON p.puzzle_id = ?2
LEFT JOIN daily_results AS d ON d.puzzle_id = ?2 AND d.session_id = ?3", last_slot::<Results>());
    /// A puzzle that has opened, whether it can be played, and its price. Of one that has
    /// not opened nothing comes, as of one that there is not.
    PLAY = "results_log/play", format!("\
SELECT s.publication_revision, s.bank_revision, clock.now,
  p.opens_at, i.state, a.puzzle_id IS NOT NULL AS has_page, p.price_cents,
  CASE WHEN p.puzzle_id IS NOT NULL THEN {OPEN_PUZZLE} END AS puzzle
FROM {CLOCK}
JOIN site_state AS s ON s.id = 1
LEFT JOIN puzzles AS p ON p.puzzle_id = ?2 AND p.opens_at <= clock.now
LEFT JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
{OPEN_PHOTO}
LEFT JOIN answer_posts AS a ON a.puzzle_id = p.puzzle_id");
}

/// How the results up to one of them were won: a column for each number of guesses.
const WON_WITH: [&str; MAX_GUESSES as usize] =
    ["won_with_1", "won_with_2", "won_with_3", "won_with_4", "won_with_5", "won_with_6"];

/// What `part` makes of each of these columns and its number of guesses.
fn won_with(separator: &str, part: impl Fn(usize, &str) -> String) -> String {
    let parts: Vec<_> = (1..).zip(WON_WITH).map(|(guesses, column)| part(guesses, column)).collect();
    parts.join(separator)
}

/// The tallies, each as `part` names it, as a list in JSON.
pub(crate) fn tallies(part: impl Fn(&str) -> String) -> String {
    format!("json_array({})", won_with(", ", |_, column| part(column)))
}

/// The same list, counted over the rows `d` of a group.
pub(crate) fn counted() -> String {
    let count = |guesses, _: &str| {
        format!("count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = {guesses})")
    };
    format!("json_array(\n    {})", won_with(",\n    ", count))
}

/// The same list of the puzzle `?2`: as its last row `last` has it, or, if that row has no
/// tallies, counted over all of them. Without any row, there is nothing to count.
pub(crate) fn last_tallies() -> String {
    format!(
        "\
CASE WHEN last.won_with_6 IS NOT NULL
  THEN {kept}
  ELSE (SELECT {counted}
   FROM daily_results AS d
   WHERE d.puzzle_id = ?2)
  END",
        kept = tallies(|column| format!("last.{column}")),
        counted = counted(),
    )
}

/// How a puzzle was played, from the columns `last_slot` and `won_with`.
pub(crate) fn stats(row: &dyn Row) -> Result<DayStats, DecodeError> {
    Ok(DayStats::of(row.integer("last_slot")?.unwrap_or(0), decode::json(row, "won_with")?))
}

/// Records a result.
pub fn report(report: &ResultReport) -> Batch<Recorded> {
    let ResultReport { puzzle_id, session_id, result, token } = report;
    let record =
        [result.outcome().as_str().into(), i64::from(result.guesses_used()).into(), token.as_str().into()];
    let read = vec![Value::Clock, puzzle_id.get().into(), session_id.as_str().into(), token.as_str().into()];
    Batch {
        writes: vec![take_slot(&RECORD, puzzle_id.get(), session_id.as_str(), record)],
        readback: Query::new(&READ_REPORT, read, |row| Ok(facts(row)?.outcome(decode::instant(row, "now")?))),
    }
}

fn facts(row: &dyn Row) -> Result<ReportFacts, DecodeError> {
    let window = match decode::optional_instant(row, "opens_at")? {
        Some(opens_at) => {
            Some(PlayWindow { opens_at, playable_until: decode::instant(row, "playable_until")? })
        }
        None => None,
    };
    let stored = match row.integer("slot")? {
        Some(slot) => Some(StoredResult {
            slot: Slot::new(slot),
            result: result(row)?,
            is_own: decode::flag(row, "is_own")?,
        }),
        None => None,
    };
    Ok(ReportFacts { window, last_slot: row.integer("last_slot")?.map(Slot::new), stored })
}

fn result(row: &dyn Row) -> Result<GameResult, DecodeError> {
    let guesses_used = decode::integer(row, "guesses_used")?;
    GameResult::new(decode::parsed(row, "outcome")?, guesses_used)
        .map_err(|error| DecodeError::new("guesses_used", error.to_string()))
}

/// Whether a puzzle can be played at `now`, or by the database's own clock.
pub fn play(now: Option<UnixMillis>, puzzle: PuzzleId) -> Query<Snapshot<Play>> {
    let now = now.map_or(Value::Clock, |now| now.get().into());
    Query::new(&PLAY, vec![now, puzzle.get().into()], |row| {
        let play = match decode::optional_json(row, "puzzle")? {
            None => Play::Unknown,
            Some(puzzle) => {
                let facts = PlayFacts {
                    opens_at: decode::instant(row, "opens_at")?,
                    state: decode::parsed(row, "state")?,
                    has_page: decode::flag(row, "has_page")?,
                    puzzle,
                    price: SecretPrice::of_cents(decode::integer(row, "price_cents")?),
                };
                facts.play(decode::instant(row, "now")?)
            }
        };
        snapshot(row, play, Vec::new())
    })
}
