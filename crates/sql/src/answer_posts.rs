//! What readers see: one query per page, with the revisions that it was read at.
//!
//! A list inside a page comes as one JSON text, so that the page, its neighbours and
//! the revisions are read by a single statement, at a single instant of the database.

use fencepost_domain::{
    id::PuzzleId,
    image::ImageKey,
    ledger::ItemState,
    page::AnswerPage,
    puzzle::LONGEST_PLAY_MS,
    revision::Revision,
    time::{PlayDate, UnixMillis},
};
use serde::de::DeserializeOwned;

use crate::{
    DecodeError, Query, Row,
    decode::{self, PAGE_COLUMNS},
    statement::sql_texts,
};

/// Whether the page `a` with the item `i` is public at `?1`: the one visibility predicate.
const PUBLIC: &str = "a.withdrawn_at IS NULL AND i.state = 'published' AND i.due_at <= ?1";

/// Whether the puzzle `p` with the item `i` is open at `?1`. The lower bound spares the
/// past: nothing is playable for longer than that.
fn open() -> String {
    format!(
        "p.opens_at <= ?1 AND p.opens_at > ?1 - {LONGEST_PLAY_MS} AND p.playable_until > ?1 AND i.state <> 'withdrawn'"
    )
}

sql_texts! {
    /// The front page.
    HOME = "answer_posts/home", format!("\
SELECT s.publication_revision, s.bank_revision,
  (SELECT json_object('puzzle_id', p.puzzle_id, 'play_date', p.play_date, 'name', p.name,
     'image_key', m.object_key, 'playable_until', p.playable_until, 'due_at', i.due_at)
   FROM puzzles AS p
   JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
   LEFT JOIN source_images AS m ON m.puzzle_id = p.puzzle_id AND m.image_url = p.image_url AND m.state = 'ready'
   WHERE {open}
   ORDER BY p.opens_at DESC
   LIMIT 1) AS today,
  {latest} AS latest
FROM site_state AS s
WHERE s.id = 1", open = open(), latest = listed("AND a.play_date < '9999'", "?2"));
    /// A page of the list.
    LIST = "answer_posts/list", format!("\
SELECT s.publication_revision, s.bank_revision,
  {listed} AS listed
FROM site_state AS s
WHERE s.id = 1", listed = listed("AND a.play_date < coalesce(?2, '9999')", "?3"));
    /// One answer, its neighbours, and all that decides about it.
    ANSWER = "answer_posts/answer", format!("\
SELECT s.publication_revision, s.bank_revision,
  p.opens_at, shown.due_at, shown.state,
  {PAGE_COLUMNS},
  {previous} AS previous,
  {next} AS next
FROM site_state AS s
LEFT JOIN puzzles AS p ON p.puzzle_id = ?2
LEFT JOIN publication_items AS shown ON shown.puzzle_id = ?2
LEFT JOIN answer_posts AS a ON a.puzzle_id = ?2
WHERE s.id = 1", previous = neighbour("<", "DESC"), next = neighbour(">", "ASC"));
    /// Whether a photo is shown anywhere.
    SHOWS_IMAGE = "answer_posts/shows_image", format!("\
SELECT s.publication_revision, s.bank_revision,
  EXISTS (SELECT 1
          FROM source_images AS m
          JOIN puzzles AS p ON p.puzzle_id = m.puzzle_id AND p.image_url = m.image_url
          JOIN publication_items AS i ON i.puzzle_id = m.puzzle_id
          WHERE m.object_key = ?2
            AND {open})
  OR EXISTS (SELECT 1
             FROM answer_posts AS a
             JOIN publication_items AS i ON i.puzzle_id = a.puzzle_id
             WHERE a.image_key = ?2
               AND {PUBLIC}) AS shown
FROM site_state AS s
WHERE s.id = 1", open = open());
}

/// Public answers in the order of their index. Dates are four digits long in front, so
/// `'9999'` lies behind all of them.
fn listed(condition: &str, limit: &str) -> String {
    format!(
        "\
(SELECT json_group_array(json(line.answer)) FROM (
     SELECT json_object('puzzle_id', a.puzzle_id, 'play_date', a.play_date, 'name', a.name,
       'price_cents', a.price_cents, 'image_key', a.image_key) AS answer
     FROM answer_posts AS a INDEXED BY answer_posts_public
     JOIN publication_items AS i ON i.puzzle_id = a.puzzle_id
     WHERE {PUBLIC}
       {condition}
     ORDER BY a.play_date DESC
     LIMIT CAST({limit} AS INTEGER)) AS line)"
    )
}

/// The public answer played next before or after the page `a` of the outer query.
fn neighbour(comparison: &str, order: &str) -> String {
    format!(
        "\
(SELECT json_object('puzzle_id', b.puzzle_id, 'play_date', b.play_date, 'name', b.name)
   FROM answer_posts AS b INDEXED BY answer_posts_public
   JOIN publication_items AS i ON i.puzzle_id = b.puzzle_id
   WHERE {public}
     AND b.play_date {comparison} a.play_date
   ORDER BY b.play_date {order}
   LIMIT 1)",
        public = PUBLIC.replace("a.", "b.")
    )
}

/// Content, and the revisions that it was read with.
pub struct Versioned<T> {
    /// Changes of published content so far.
    pub publication_revision: Revision,
    /// Imports, edits and reschedules so far.
    pub bank_revision: i64,
    /// The content.
    pub value: T,
}

/// The front page as JSON types of the caller's.
pub fn home<P, L>(now: UnixMillis, answers: u32) -> Query<Versioned<(Option<P>, Vec<L>)>>
where
    P: DeserializeOwned + 'static,
    L: DeserializeOwned + 'static,
{
    Query::new(&HOME, vec![now.get().into(), i64::from(answers).into()], |row| {
        versioned(row, (decode::optional_json(row, "today")?, decode::json(row, "latest")?))
    })
}

/// A page of the list as JSON types of the caller's.
pub fn list<L>(now: UnixMillis, before: Option<PlayDate>, limit: u32) -> Query<Versioned<Vec<L>>>
where
    L: DeserializeOwned + 'static,
{
    let params = vec![now.get().into(), before.map(|date| date.to_string()).into(), i64::from(limit).into()];
    Query::new(&LIST, params, |row| versioned(row, decode::json(row, "listed")?))
}

/// One answer, and all that decides about it.
pub struct AnswerRow<N> {
    /// When the puzzle becomes known.
    pub opens_at: UnixMillis,
    /// When its answer's embargo ends.
    pub due_at: UnixMillis,
    /// Where its item stands.
    pub state: ItemState,
    /// Its page.
    pub page: Option<AnswerPage>,
    /// The public answer played before it.
    pub previous: Option<N>,
    /// The public answer played after it.
    pub next: Option<N>,
}

/// One answer; `None` for a puzzle that the bank does not have.
pub fn answer<N>(now: UnixMillis, puzzle: PuzzleId) -> Query<Versioned<Option<AnswerRow<N>>>>
where
    N: DeserializeOwned + 'static,
{
    Query::new(&ANSWER, vec![now.get().into(), puzzle.get().into()], |row| {
        let Some(opens_at) = decode::optional_instant(row, "opens_at")? else { return versioned(row, None) };
        let answer = AnswerRow {
            opens_at,
            due_at: decode::instant(row, "due_at")?,
            state: decode::parsed(row, "state")?,
            page: decode::optional_page(row)?,
            previous: decode::optional_json(row, "previous")?,
            next: decode::optional_json(row, "next")?,
        };
        versioned(row, Some(answer))
    })
}

/// Whether a photo is shown anywhere.
pub fn shows_image(now: UnixMillis, key: &ImageKey) -> Query<Versioned<bool>> {
    Query::new(&SHOWS_IMAGE, vec![now.get().into(), key.as_str().into()], |row| {
        versioned(row, decode::flag(row, "shown")?)
    })
}

fn versioned<T>(row: &dyn Row, value: T) -> Result<Versioned<T>, DecodeError> {
    Ok(Versioned {
        publication_revision: Revision::new(decode::integer(row, "publication_revision")?),
        bank_revision: decode::integer(row, "bank_revision")?,
        value,
    })
}
