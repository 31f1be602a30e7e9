//! The bank: an import as one batch.
//!
//! An import is all or nothing, and it follows the commit's pattern. Its first
//! statement judges every row against what the bank holds and writes the import's token
//! into `bank_edits`, or nothing at all. Every later statement depends on that token.
//! The rows travel as JSON texts, which lifts the limit of a hundred parameters: one
//! short text of *keys* (id, date, schedule, expected version) for the judgement, and
//! the rows themselves in chunks that stay below the size of a value.

use fencepost_domain::{
    action::ActionKind,
    bank_edit::{BankEdit, ImportReadback, RefusedRow, RowRefusal},
    id::{BankVersion, CommitToken, PuzzleId},
    puzzle::{Puzzle, PuzzleRow, Schedule},
};
use serde::{Deserialize, Serialize};

use crate::{
    Batch, DecodeError, Query, Row, Statement, Value, action_log,
    clock::CLOCK,
    decode::{self, PUZZLE_COLUMNS},
    sql_texts,
};

/// The most bytes of JSON in one parameter: half of what D1 takes as a value.
const CHUNK_BYTES: usize = Value::MAX_TEXT_BYTES / 2;

/// The keys of an import, from parameter `?2`: `[id, date, opens_at, playable_until, expected_version]`.
const KEYS: &str = "keys (id, date, opens_at, playable_until, expected) AS (
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
  FROM json_each(?2))";

/// Every reason for which the bank refuses a row of the import.
const REFUSALS: &str = "refusals (id, reason, version, taken_by) AS (
  SELECT k.id, 'stale_version', p.bank_version, NULL
  FROM keys AS k
  LEFT JOIN puzzles AS p ON p.puzzle_id = k.id
  WHERE coalesce(p.bank_version, 0) <> k.expected
  UNION ALL
  SELECT k.id, 'date_taken', NULL, p.puzzle_id
  FROM keys AS k
  JOIN puzzles AS p ON p.play_date = k.date
  WHERE p.puzzle_id <> k.id
    AND p.puzzle_id NOT IN (SELECT moving.id
                            FROM keys AS moving
                            JOIN puzzles AS m ON m.puzzle_id = moving.id
                            WHERE m.play_date <> moving.date)
  UNION ALL
  SELECT k.id, 'date_fixed', NULL, NULL
  FROM keys AS k
  JOIN puzzles AS p ON p.puzzle_id = k.id
  WHERE p.play_date <> k.date
    AND EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = k.id))";

/// Whether the import with the token `?1` was accepted.
const ACCEPTED: &str = "EXISTS (SELECT 1 FROM bank_edits AS e WHERE e.edit_token = ?1)";

sql_texts! {
    /// The import's token, unless a row is refused.
    ACCEPT = "puzzle_bank/accept", format!("\
WITH {KEYS}, {REFUSALS}
INSERT INTO bank_edits (edit_token, inserted, updated, unchanged, edited_at)
SELECT ?3, 0, 0, 0, clock.now
FROM {CLOCK}
WHERE NOT EXISTS (SELECT 1 FROM refusals)");
    /// A changed date moves the due instant of an item, unless somebody has postponed it
    /// further.
    MOVE_ITEMS = "puzzle_bank/move_items", format!("\
WITH {KEYS}
UPDATE publication_items
SET due_at = CASE WHEN publication_items.due_at > p.playable_until
                  THEN max(publication_items.due_at, k.playable_until)
                  ELSE k.playable_until END
FROM keys AS k
JOIN puzzles AS p ON p.puzzle_id = k.id
WHERE publication_items.puzzle_id = k.id
  AND p.play_date <> k.date
  AND {ACCEPTED}");
    /// A changed date is vacated first, so that puzzles can trade their dates.
    VACATE_DATES = "puzzle_bank/vacate_dates", format!("\
WITH {KEYS}
UPDATE puzzles
SET play_date = 'moving:' || puzzles.puzzle_id
FROM keys AS k
WHERE puzzles.puzzle_id = k.id
  AND puzzles.play_date <> k.date
  AND {ACCEPTED}");
    /// New rows, and those that differ.
    WRITE_ROWS = "puzzle_bank/write_rows", format!("\
INSERT INTO puzzles (puzzle_id, play_date, opens_at, playable_until, name, price_cents, description, image_url,
  bank_version, edit_token)
SELECT r.value ->> 'puzzle_id', r.value ->> 'play_date', r.value ->> 'opens_at', r.value ->> 'playable_until',
  r.value ->> 'name', r.value ->> 'price_cents', r.value ->> 'description', r.value ->> 'image_url', 1, ?1
FROM json_each(?2) AS r
WHERE {ACCEPTED}
ON CONFLICT (puzzle_id) DO UPDATE
SET play_date = excluded.play_date,
    opens_at = CASE WHEN puzzles.play_date = excluded.play_date THEN puzzles.opens_at ELSE excluded.opens_at END,
    playable_until = CASE WHEN puzzles.play_date = excluded.play_date THEN puzzles.playable_until
      ELSE excluded.playable_until END,
    name = excluded.name,
    price_cents = excluded.price_cents,
    description = excluded.description,
    image_url = excluded.image_url,
    bank_version = puzzles.bank_version + 1,
    edit_token = excluded.edit_token
WHERE puzzles.play_date <> excluded.play_date
   OR puzzles.name <> excluded.name
   OR puzzles.price_cents <> excluded.price_cents
   OR puzzles.description <> excluded.description
   OR puzzles.image_url IS NOT excluded.image_url");
    /// New puzzles get an item; an edit is a reason to try again.
    SCHEDULE_ITEMS = "puzzle_bank/schedule_items", format!("\
WITH {KEYS}
INSERT INTO publication_items (puzzle_id, state, due_at)
SELECT p.puzzle_id, 'scheduled', p.playable_until
FROM keys AS k
JOIN puzzles AS p ON p.puzzle_id = k.id
WHERE p.edit_token = ?1
ON CONFLICT (puzzle_id) DO UPDATE
SET state = 'scheduled',
    attempts = 0,
    next_attempt_at = 0,
    blocked_reason = NULL
WHERE publication_items.state IN ('scheduled', 'processing', 'blocked')");
    /// The instants at which the answers of new and changed puzzles change by themselves.
    RECORD_INSTANTS = "puzzle_bank/record_instants", format!("\
WITH {KEYS},
  changed (opens_at, playable_until, due_at) AS (
    SELECT p.opens_at, p.playable_until, i.due_at
    FROM keys AS k
    JOIN puzzles AS p ON p.puzzle_id = k.id
    JOIN publication_items AS i ON i.puzzle_id = k.id
    WHERE p.edit_token = ?1)
INSERT INTO visibility_instants (instant)
SELECT it.instant
FROM (SELECT opens_at AS instant FROM changed
      UNION ALL
      SELECT playable_until FROM changed
      UNION ALL
      SELECT due_at FROM changed) AS it
WHERE true
ON CONFLICT (instant) DO NOTHING");
    /// The bank's revision, if a row changed.
    RAISE_BANK_REVISION = "puzzle_bank/raise_bank_revision", format!("\
WITH {KEYS}
UPDATE site_state
SET bank_revision = bank_revision + 1
WHERE id = 1
  AND EXISTS (SELECT 1 FROM keys AS k JOIN puzzles AS p ON p.puzzle_id = k.id WHERE p.edit_token = ?1)");
    /// What the import did, kept beside its token.
    COUNT_ROWS = "puzzle_bank/count_rows", format!("\
WITH {KEYS},
  counts (inserted, updated, unchanged) AS (
    SELECT count(*) FILTER (WHERE p.edit_token = ?1 AND p.bank_version = 1),
      count(*) FILTER (WHERE p.edit_token = ?1 AND p.bank_version > 1),
      count(*) FILTER (WHERE p.edit_token <> ?1)
    FROM keys AS k
    JOIN puzzles AS p ON p.puzzle_id = k.id)
UPDATE bank_edits
SET inserted = counts.inserted,
    updated = counts.updated,
    unchanged = counts.unchanged
FROM counts
WHERE bank_edits.edit_token = ?1");
    /// The deed of a person that the import was, if it changed anything; of an edit of one
    /// puzzle, with that puzzle and the version that it led to.
    TRACE_IMPORT = "puzzle_bank/trace_import", format!("\
INSERT INTO operator_actions ({})
SELECT e.edit_token, e.edited_at, ?2, ?3, p.puzzle_id, ?4,
  CASE WHEN p.puzzle_id IS NULL
       THEN json_object('inserted', e.inserted, 'unchanged', e.unchanged, 'updated', e.updated)
       ELSE json_object('bank_version', p.bank_version) END, 0
FROM bank_edits AS e
LEFT JOIN puzzles AS p ON p.puzzle_id = ?5
WHERE e.edit_token = ?1
  AND e.inserted + e.updated > 0", action_log::COLUMNS);
    /// Puzzles, by number.
    STORED = "puzzle_bank/stored", format!("\
SELECT {PUZZLE_COLUMNS}
FROM puzzles AS p
WHERE p.puzzle_id IN (SELECT wanted.value FROM json_each(?1) AS wanted)
ORDER BY p.puzzle_id");
    /// What became of an import, and which rows were in its way.
    READ_IMPORT = "puzzle_bank/read_import", format!("\
WITH {KEYS}, {REFUSALS}
SELECT e.inserted, e.updated, e.unchanged, s.bank_revision,
  CASE WHEN e.edit_token IS NULL THEN
    (SELECT json_group_array(json_object('id', id, 'reason', reason, 'version', version, 'taken_by', taken_by))
     FROM (SELECT * FROM refusals ORDER BY id, reason))
  ELSE '[]' END AS refused
FROM site_state AS s
LEFT JOIN bank_edits AS e ON e.edit_token = ?1
WHERE s.id = 1");
}

/// The puzzles of the bank among these.
pub fn stored(puzzles: &[PuzzleId]) -> Query<Puzzle> {
    let wanted = serde_json::to_string(puzzles).expect("a list of numbers is JSON");
    Query::new(&STORED, vec![wanted.into()], |row| {
        decode::required(decode::optional_puzzle(row)?, "puzzle_id")
    })
}

/// A row that was in the way of an import, as it comes from the database.
#[derive(Deserialize)]
struct Refusal {
    id: PuzzleId,
    reason: Reason,
    version: Option<BankVersion>,
    taken_by: Option<PuzzleId>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reason {
    StaleVersion,
    DateTaken,
    DateFixed,
}

impl Refusal {
    fn row(self) -> Result<RefusedRow, DecodeError> {
        let reason = match self.reason {
            Reason::StaleVersion => RowRefusal::StaleVersion { stored: self.version },
            Reason::DateTaken => RowRefusal::DateTaken { by: decode::required(self.taken_by, "refused")? },
            Reason::DateFixed => RowRefusal::DateFixed,
        };
        Ok(RefusedRow { puzzle_id: self.id, reason })
    }
}

/// Imports rows.
pub fn import(edit: &BankEdit) -> Batch<ImportReadback> {
    let token = &edit.token;
    let rows: Vec<RowJson<'_>> = edit.rows.iter().map(|row| RowJson::new(row, edit.grace_ms)).collect();
    let keys = json(&rows.iter().map(RowJson::key).collect::<Vec<_>>());
    let with_keys = || vec![token.as_str().into(), keys.as_str().into()];

    let kind = if edit.edits.is_some() { ActionKind::Edit } else { ActionKind::Import };
    let [actor, action, reason] = action_log::deed_params(&edit.by.does(kind));
    let edits = edit.edits.map(PuzzleId::get).into();
    let accept = vec![Value::Clock, keys.as_str().into(), token.as_str().into()];
    let mut writes = vec![
        Statement::new(&ACCEPT, accept),
        Statement::new(&MOVE_ITEMS, with_keys()),
        Statement::new(&VACATE_DATES, with_keys()),
    ];
    for chunk in chunks(&rows) {
        writes.push(Statement::new(&WRITE_ROWS, vec![token.as_str().into(), chunk.into()]));
    }
    writes.extend([
        Statement::new(&SCHEDULE_ITEMS, with_keys()),
        Statement::new(&RECORD_INSTANTS, with_keys()),
        Statement::new(&RAISE_BANK_REVISION, with_keys()),
        Statement::new(&COUNT_ROWS, with_keys()),
        Statement::new(&TRACE_IMPORT, vec![token.as_str().into(), actor, action, reason, edits]),
    ]);
    let readback = Query::new(&READ_IMPORT, vec![token.as_str().into(), keys.into()], readback);
    Batch { writes, readback }
}

/// What became of the import with this token; `None` when it did not land.
pub fn trace(token: &CommitToken) -> Query<Option<ImportReadback>> {
    Query::new(&READ_IMPORT, vec![token.as_str().into(), "[]".into()], |row| {
        let landed = row.integer("inserted")?.is_some();
        landed.then(|| readback(row)).transpose()
    })
}

/// The counts are NULL, and the rows in the way are told, when an import did not land.
fn readback(row: &dyn Row) -> Result<ImportReadback, DecodeError> {
    let count = |column| Ok::<_, DecodeError>(row.integer(column)?.unwrap_or_default());
    let refused: Vec<Refusal> = decode::json(row, "refused")?;
    Ok(ImportReadback {
        inserted: count("inserted")?,
        updated: count("updated")?,
        unchanged: count("unchanged")?,
        bank_revision: decode::integer(row, "bank_revision")?,
        refused: refused.into_iter().map(Refusal::row).collect::<Result<_, _>>()?,
    })
}

/// A row as it travels.
#[derive(Serialize)]
struct RowJson<'a> {
    puzzle_id: i64,
    play_date: String,
    opens_at: i64,
    playable_until: i64,
    name: &'a str,
    price_cents: i64,
    description: &'a str,
    image_url: Option<&'a str>,
    #[serde(skip)]
    expected: Option<i64>,
}

type KeyJson<'a> = (i64, &'a str, i64, i64, Option<i64>);

impl<'a> RowJson<'a> {
    fn new(row: &'a PuzzleRow, grace_ms: i64) -> Self {
        let schedule = Schedule::of(row.play_date, grace_ms);
        Self {
            puzzle_id: row.puzzle_id.get(),
            play_date: row.play_date.to_string(),
            opens_at: schedule.opens_at.get(),
            playable_until: schedule.playable_until.get(),
            name: &row.name,
            price_cents: row.price_cents,
            description: &row.description,
            image_url: row.image_url.as_deref(),
            expected: row.expected_version.map(BankVersion::get),
        }
    }

    fn key(&self) -> KeyJson<'_> {
        (self.puzzle_id, &self.play_date, self.opens_at, self.playable_until, self.expected)
    }
}

/// JSON arrays of rows, each below the size of a value (a single row always is).
fn chunks(rows: &[RowJson<'_>]) -> Vec<String> {
    let mut chunks = Vec::new();
    let mut current = String::new();
    for row in rows {
        let row = json(row);
        if !current.is_empty() && current.len() + row.len() > CHUNK_BYTES {
            chunks.push(format!("[{current}]"));
            current.clear();
        }
        if !current.is_empty() {
            current.push(',');
        }
        current.push_str(&row);
    }
    if !current.is_empty() {
        chunks.push(format!("[{current}]"));
    }
    chunks
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts and numbers are JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_split_into_values_that_the_database_takes() {
        let row = |id: i64| PuzzleRow {
            puzzle_id: id.try_into().unwrap(),
            play_date: "2026-11-28".parse().unwrap(),
            name: "A teapot".to_owned(),
            price_cents: 1,
            description: "x".repeat(19_000),
            image_url: None,
            expected_version: None,
        };
        let rows: Vec<_> = (1..=200).map(row).collect();
        let json: Vec<_> = rows.iter().map(|row| RowJson::new(row, 0)).collect();
        let chunks = chunks(&json);
        assert!(chunks.len() > 3 && chunks.iter().all(|chunk| chunk.len() < 2_000_000));
        let total: usize = chunks
            .iter()
            .map(|chunk| serde_json::from_str::<Vec<serde_json::Value>>(chunk).unwrap().len())
            .sum();
        assert_eq!(total, 200);
    }
}
