//! Results of the daily game: one statement that records, and one look at what stands.
//!
//! The statement holds everything: the window of play, the room that is left, the next
//! slot, and that a session has one row. The next slot needs no counter of its own. It is
//! `max(slot) + 1`, and SQLite looks a `max` up in the last entry of an index if nothing else
//! stands in its query. With a condition on the sum beside it, it would read every row of
//! the puzzle, for every report.
//!
//! What became of a report is told by the row of its session. If the row carries the
//! report's token, this report wrote it. Neither slot nor instant could tell that: of two
//! reports of one session at once, both would find the same row, with the newest slot,
//! and made just now. If there is no row, the reason follows from the puzzle and from the
//! count, which the statement has seen exactly as the read-back sees them, and from the
//! clock, which may have moved on between the two.
//! [`ReportFacts::outcome`](fencepost_domain::results::ReportFacts::outcome) says what is
//! made of that.

use fencepost_domain::{
    id::PuzzleId,
    play::{Play, PlayFacts, SecretPrice},
    reading::Snapshot,
    results::{
        DayStats, GameResult, MAX_RESULTS_PER_PUZZLE, PlayWindow, Recorded, ReportFacts, ResultReport, Slot,
        StoredResult,
    },
    time::UnixMillis,
};

use crate::{
    Batch, DecodeError, Query, Row, Statement, Value,
    answer_posts::{OPEN_PHOTO, OPEN_PUZZLE, snapshot},
    clock::CLOCK,
    decode,
    statement::sql_texts,
};

/// The highest slot of the puzzle `?2`, from the end of its index.
const LAST_SLOT: &str = "(SELECT max(taken.slot) FROM daily_results AS taken WHERE taken.puzzle_id = ?2)";

sql_texts! {
    /// A result, in the next slot of its puzzle: during play, while there is room, and once
    /// per session.
    RECORD = "results_log/record", format!("\
INSERT INTO daily_results (puzzle_id, session_id, slot, outcome, guesses_used, report_token, created_at)
SELECT p.puzzle_id, ?3, next.slot, ?4, CAST(?5 AS INTEGER), ?6, clock.now
FROM {CLOCK}
JOIN puzzles AS p ON p.puzzle_id = ?2
JOIN (SELECT coalesce({LAST_SLOT}, 0) + 1 AS slot) AS next
WHERE p.opens_at <= clock.now
  AND clock.now < p.playable_until
  AND next.slot <= {MAX_RESULTS_PER_PUZZLE}
ON CONFLICT (puzzle_id, session_id) DO NOTHING");
    /// The row of the session, and all that may have been in its way.
    READ_REPORT = "results_log/read_report", format!("\
SELECT clock.now, p.opens_at, p.playable_until, {LAST_SLOT} AS last_slot,
  d.slot, d.outcome, d.guesses_used, d.report_token IS ?4 AS is_own
FROM {CLOCK}
LEFT JOIN puzzles AS p ON p.puzzle_id = ?2
LEFT JOIN daily_results AS d ON d.puzzle_id = ?2 AND d.session_id = ?3");
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
    /// How a puzzle was played. It reads every result of the puzzle, up to fifty thousand
    /// rows, and none of any other: to be asked for behind a cache. Counters would make it
    /// cheap, at the price of a second row that every report has to write.
    STATS = "results_log/stats", format!("\
SELECT {won},
  count(*) FILTER (WHERE d.outcome = 'lost') AS lost
FROM puzzles AS p
LEFT JOIN daily_results AS d ON d.puzzle_id = p.puzzle_id
WHERE p.puzzle_id = ?2
  AND p.opens_at <= ?1
GROUP BY p.puzzle_id", won = won_columns());
}

/// The column of [`STATS`] for each number of guesses.
const WON_WITH: [&str; 6] =
    ["won_with_1", "won_with_2", "won_with_3", "won_with_4", "won_with_5", "won_with_6"];

fn won_columns() -> String {
    let column = |(guesses, name)| {
        format!("count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = {guesses}) AS {name}")
    };
    (1..).zip(WON_WITH).map(column).collect::<Vec<_>>().join(",\n  ")
}

/// Records a result.
pub fn report(report: &ResultReport) -> Batch<Recorded> {
    let ResultReport { puzzle_id, session_id, result, token } = report;
    let record = vec![
        Value::Clock,
        puzzle_id.get().into(),
        session_id.as_str().into(),
        result.outcome().as_str().into(),
        i64::from(result.guesses_used()).into(),
        token.as_str().into(),
    ];
    let read = vec![Value::Clock, puzzle_id.get().into(), session_id.as_str().into(), token.as_str().into()];
    Batch {
        writes: vec![Statement::new(&RECORD, record)],
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
        .map_err(|error| DecodeError { column: "guesses_used", problem: error.to_string() })
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

/// How a puzzle was played; no row for one that is not known at `now`.
pub fn stats(now: UnixMillis, puzzle: PuzzleId) -> Query<DayStats> {
    Query::new(&STATS, vec![now.get().into(), puzzle.get().into()], |row| {
        let mut stats = DayStats { lost: decode::integer(row, "lost")?, ..DayStats::default() };
        for (won, column) in stats.won_with.iter_mut().zip(WON_WITH) {
            *won = decode::integer(row, column)?;
        }
        Ok(stats)
    })
}
