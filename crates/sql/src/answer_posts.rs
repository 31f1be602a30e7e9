//! What readers see: one query per page, with the revisions that it was read at.
//!
//! A list inside a page comes as one JSON text, so that the page, its neighbours and
//! the revisions are read by a single statement, at a single instant of the database.

use fencepost_batch::slots::last_slot;
use fencepost_domain::{
    id::PuzzleId,
    image::ImageKey,
    puzzle::LONGEST_PLAY_MS,
    reading::{AnswerView, FeedEntry, Home, LONGEST_FEED_BODY, ListedAnswer, SitemapEntry, Snapshot},
    revision::Revision,
    time::{PlayDate, UnixMillis},
    visibility::AnswerFacts,
};
use serde::de::DeserializeOwned;

use crate::{
    DecodeError, Query, Row, SqlText,
    decode::{self, PAGE_COLUMNS},
    results_log::{self, Results},
    sql_texts,
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
  (SELECT json_group_array(json(line.puzzle)) FROM (
     SELECT {OPEN_PUZZLE} AS puzzle
     FROM puzzles AS p
     JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
     {OPEN_PHOTO}
     WHERE {open}
     ORDER BY p.opens_at DESC
     LIMIT 2) AS line) AS open,
  {latest} AS latest
FROM site_state AS s
WHERE s.id = 1", open = open(), latest = listed(LISTED_ANSWER, "AND a.play_date < '9999'", "?2"));
    /// A page of the list.
    LIST = "answer_posts/list",
        lines("listed", &listed(LISTED_ANSWER, "AND a.play_date < coalesce(?2, '9999')", "?3"));
    /// The feed.
    FEED = "answer_posts/feed", lines("entries", &listed(&feed_entry(), "AND a.play_date < '9999'", "?2"));
    /// What search engines may keep.
    SITEMAP = "answer_posts/sitemap",
        lines("entries", &listed(SITEMAP_ENTRY, "AND a.indexable = 1\n       AND a.play_date < '9999'", "?2"));
    /// One answer, its neighbours, how its puzzle was played, and all that decides about it.
    ANSWER = "answer_posts/answer", format!("\
SELECT s.publication_revision, s.bank_revision,
  p.opens_at, shown.due_at, shown.state,
  {PAGE_COLUMNS},
  {previous} AS previous,
  {next} AS next,
  last.slot AS last_slot,
  {won_with} AS won_with
FROM site_state AS s
LEFT JOIN puzzles AS p ON p.puzzle_id = ?2
LEFT JOIN publication_items AS shown ON shown.puzzle_id = ?2
LEFT JOIN answer_posts AS a ON a.puzzle_id = ?2
LEFT JOIN daily_results AS last ON last.puzzle_id = ?2 AND last.slot = {last_slot}
WHERE s.id = 1",
        previous = neighbour("<", "DESC"),
        next = neighbour(">", "ASC"),
        won_with = results_log::last_tallies(),
        last_slot = last_slot::<Results>());
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

/// What everybody may know of the puzzle `p` with the item `i` and the photo `m` while it is
/// played.
pub(crate) const OPEN_PUZZLE: &str =
    "json_object('puzzle_id', p.puzzle_id, 'play_date', p.play_date, 'name', p.name,
       'image_key', m.object_key, 'playable_until', p.playable_until, 'due_at', i.due_at)";

/// The photo `m` of the puzzle `p`, once it is stored.
pub(crate) const OPEN_PHOTO: &str = "LEFT JOIN source_images AS m
       ON m.puzzle_id = p.puzzle_id AND m.image_url = p.image_url AND m.state = 'ready'";

/// What a list tells of the page `a`.
const LISTED_ANSWER: &str = "'puzzle_id', a.puzzle_id, 'play_date', a.play_date, 'name', a.name,
       'price_cents', a.price_cents, 'image_key', a.image_key";

/// What the list for search engines tells of the page `a`.
const SITEMAP_ENTRY: &str = "'puzzle_id', a.puzzle_id, 'updated_at', a.updated_at";

/// What the feed tells of the page `a`: what a list does, and its text, unless that is so
/// long that many of them would be more than D1 takes as one text.
fn feed_entry() -> String {
    format!(
        "\
{LISTED_ANSWER},
       'published_at', a.published_at, 'updated_at', a.updated_at,
       'body_html', CASE WHEN length(CAST(a.body_html AS BLOB)) <= {LONGEST_FEED_BODY} THEN a.body_html END"
    )
}

/// A page that is one list, as the column `name`, with the revisions that it is read at.
fn lines(name: &str, list: &str) -> String {
    format!(
        "\
SELECT s.publication_revision, s.bank_revision,
  {list} AS {name}
FROM site_state AS s
WHERE s.id = 1"
    )
}

/// Public answers in the order of their index, each with these pairs of key and value.
/// Dates are four digits long in front, so `'9999'` lies behind all of them.
fn listed(pairs: &str, condition: &str, limit: &str) -> String {
    format!(
        "\
(SELECT json_group_array(json(line.answer)) FROM (
     SELECT json_object({pairs}) AS answer
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

/// The front page.
pub fn home(now: UnixMillis, answers: u32) -> Query<Snapshot<Home>> {
    Query::new(&HOME, vec![now.get().into(), i64::from(answers).into()], |row| {
        let mut unreadable = Vec::new();
        let latest = decode::json_lines(row, "latest", &mut unreadable)?;
        let open = decode::json_lines(row, "open", &mut unreadable)?;
        snapshot(row, Home { open, latest }, unreadable)
    })
}

/// A page of the list.
pub fn list(now: UnixMillis, before: Option<PlayDate>, limit: u32) -> Query<Snapshot<Vec<ListedAnswer>>> {
    let params = vec![now.get().into(), before.map(|date| date.to_string()).into(), i64::from(limit).into()];
    Query::new(&LIST, params, |row| {
        let mut unreadable = Vec::new();
        let listed = decode::json_lines(row, "listed", &mut unreadable)?;
        snapshot(row, listed, unreadable)
    })
}

/// One answer; `None` for a puzzle that the bank does not have.
pub fn answer(now: UnixMillis, puzzle: PuzzleId) -> Query<Snapshot<Option<AnswerView>>> {
    Query::new(&ANSWER, vec![now.get().into(), puzzle.get().into()], |row| {
        let mut unreadable = Vec::new();
        let Some(opens_at) = decode::optional_instant(row, "opens_at")? else {
            return snapshot(row, None, unreadable);
        };
        let page = decode::optional_page(row)?;
        let facts = AnswerFacts {
            opens_at,
            due_at: decode::instant(row, "due_at")?,
            state: decode::parsed(row, "state")?,
            has_page: page.is_some(),
        };
        let mut neighbour = |column| decode::json_line(row, column, &mut unreadable);
        let (previous, next) = (neighbour("previous")?, neighbour("next")?);
        let stats = results_log::stats(row)?;
        snapshot(row, Some(AnswerView { facts, page, stats, previous, next }), unreadable)
    })
}

/// The feed.
pub fn feed(now: UnixMillis, limit: u32) -> Query<Snapshot<Vec<FeedEntry>>> {
    entries(&FEED, now, limit)
}

/// What search engines may keep.
pub fn sitemap(now: UnixMillis, limit: u32) -> Query<Snapshot<Vec<SitemapEntry>>> {
    entries(&SITEMAP, now, limit)
}

fn entries<T: DeserializeOwned>(
    text: &'static SqlText,
    now: UnixMillis,
    limit: u32,
) -> Query<Snapshot<Vec<T>>> {
    Query::new(text, vec![now.get().into(), i64::from(limit).into()], |row| {
        let mut unreadable = Vec::new();
        let entries = decode::json_lines(row, "entries", &mut unreadable)?;
        snapshot(row, entries, unreadable)
    })
}

/// Whether a photo is shown anywhere.
pub fn shows_image(now: UnixMillis, key: &ImageKey) -> Query<Snapshot<bool>> {
    Query::new(&SHOWS_IMAGE, vec![now.get().into(), key.as_str().into()], |row| {
        snapshot(row, decode::flag(row, "shown")?, Vec::new())
    })
}

pub(crate) fn snapshot<T>(
    row: &dyn Row,
    value: T,
    unreadable: Vec<String>,
) -> Result<Snapshot<T>, DecodeError> {
    Ok(Snapshot {
        publication_revision: Revision::new(decode::integer(row, "publication_revision")?),
        bank_revision: decode::integer(row, "bank_revision")?,
        value,
        unreadable,
    })
}
