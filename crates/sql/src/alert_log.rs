//! Alerts as others are told of them: what there is, and the episodes.
//!
//! A look is one statement over a handful of index entries, since it is repeated all the
//! time and mostly finds nothing. What follows from it is written in one batch, and each of
//! its statements holds against what the look has seen: an episode moves on only from where
//! it was, one opens only where none of its alert is open, which an index sees to, and
//! nothing happens once the look is too old. The events are derived from the rows that this
//! very batch has written, so whoever comes second derives none.

use fencepost_domain::{
    alert::{Alert, AlertKind},
    episode::{AlertLook, Edge, Episode, FRESH_MS, Turned, Turns},
    id::OwnerId,
    job::Vitals,
    outbox::EventKind,
    sorting::sort_by_key,
    time::DAY_MS,
};

use crate::{
    Batch, DecodeError, Query, Row, Statement, Value,
    clock::{CLOCK, NOW},
    decode::{self, QUOTA_COLUMNS},
    guard::caught_up,
    job_runs::{HEARTBEATS, KNOWN_SINCE},
    publication_ledger::{BACKLOG, RUNNABLE},
    sql_texts,
};

/// The columns of an episode `v`, as it was when it began.
pub(crate) const EPISODE_COLUMNS: &str = "v.number AS episode_number, v.kind AS alert_kind, v.job AS alert_job, \
     v.since AS alert_since, v.count AS alert_count, v.meaning AS alert_meaning, v.remedy AS alert_remedy, \
     v.raised_at AS alert_raised_at";

sql_texts! {
    /// What alerts are made of, and which episodes are open. Of the ledger it looks at what is
    /// due and not out, and at what is blocked.
    LOOK = "alert_log/look", format!("\
SELECT clock.now, s.paused, {QUOTA_COLUMNS}, work.outstanding, work.outstanding_since,
  late.left_alone, late.left_alone_since,
  EXISTS (SELECT 1 FROM {BACKLOG} WHERE {RUNNABLE} AND i.due_at <= 9223372036854775807) AS has_work,
  (SELECT count(*)
   FROM publication_items AS i
   WHERE i.state = 'blocked'
     AND i.due_at <= 9223372036854775807) AS blocked,
  (SELECT max(r.rowid) FROM job_runs AS r) IS NOT NULL AS has_run,
  {HEARTBEATS} AS heartbeats,
  {KNOWN_SINCE} AS known_since,
  (SELECT json_group_array(json_object('number', v.number, 'kind', v.kind, 'job', v.job,
     'calm_since', v.calm_since))
   FROM alert_episodes AS v
   WHERE v.cleared_at IS NULL
     AND v.kind > '') AS open_episodes
FROM {CLOCK}
JOIN (SELECT count(*) AS outstanding, min(i.due_at) AS outstanding_since
      FROM {BACKLOG}
      WHERE {RUNNABLE}
        AND i.due_at BETWEEN {since} AND {NOW}) AS work
JOIN (SELECT count(*) AS left_alone, min(i.due_at) AS left_alone_since
      FROM {BACKLOG}
      WHERE {RUNNABLE}
        AND i.due_at < {since}) AS late
JOIN site_state AS s ON s.id = 1
LEFT JOIN daily_quotas AS q ON q.utc_day = clock.now / {DAY_MS}", since = caught_up(NOW));
    /// Open episodes go on, each from where it was seen.
    MOVE = "alert_log/move", format!("\
UPDATE alert_episodes
SET calm_since = CASE m.value ->> 'step' WHEN 'calm' THEN clock.now WHEN 'return' THEN NULL ELSE calm_since END,
    cleared_at = CASE m.value ->> 'step' WHEN 'clear' THEN clock.now END,
    cleared_by = CASE m.value ->> 'step' WHEN 'clear' THEN ?4 END
FROM {CLOCK}
JOIN json_each(?2) AS m
WHERE alert_episodes.number = m.value ->> 'number'
  AND alert_episodes.cleared_at IS NULL
  AND alert_episodes.calm_since IS m.value ->> 'calm_since'
  AND clock.now <= ?3 + {FRESH_MS}");
    /// Episodes begin, where none of their alert is open.
    RAISE = "alert_log/raise", format!("\
INSERT INTO alert_episodes (kind, job, since, count, meaning, remedy, raised_at, raised_by)
SELECT m.value ->> 'kind', m.value ->> 'job', m.value ->> 'since', m.value ->> 'count',
  m.value ->> 'meaning', m.value ->> 'remedy', clock.now, ?4
FROM {CLOCK}
JOIN json_each(?2) AS m
WHERE clock.now <= ?3 + {FRESH_MS}
ON CONFLICT DO NOTHING");
    /// The events of what this batch has moved.
    TELL = "alert_log/tell", format!("\
INSERT INTO outbox (event_id, kind, episode, happened_at, created_at, next_attempt_at)
SELECT {told_raised}, v.number, v.raised_at, v.raised_at, v.raised_at
FROM alert_episodes AS v
WHERE v.raised_by = ?1
  AND '{raised}' IN (SELECT value FROM json_each(?2))
UNION ALL
SELECT {told_cleared}, v.number, v.cleared_at, v.cleared_at, v.cleared_at
FROM alert_episodes AS v
WHERE v.cleared_by = ?1
  AND '{cleared}' IN (SELECT value FROM json_each(?2))
ON CONFLICT DO NOTHING",
        told_raised = told(Edge::Raised), raised = EventKind::of_edge(Edge::Raised).as_str(),
        told_cleared = told(Edge::Cleared), cleared = EventKind::of_edge(Edge::Cleared).as_str());
    /// What this batch has moved.
    READ_TURNED = "alert_log/read_turned", "\
SELECT (SELECT count(*) FROM alert_episodes AS v WHERE v.raised_by = ?1) AS raised,
  (SELECT count(*) FROM alert_episodes AS v WHERE v.cleared_by = ?1) AS cleared";
}

/// The name and the kind of the event of this edge of an episode `v`.
fn told(edge: Edge) -> String {
    let (word, kind) = (edge.as_str(), EventKind::of_edge(edge).as_str());
    format!("'alert-' || v.number || '-{word}', '{kind}'")
}

/// What there is, and what others were told.
pub fn look() -> Query<AlertLook> {
    Query::new(&LOOK, vec![Value::Clock], |row| {
        let vitals = Vitals {
            now: decode::instant(row, "now")?,
            paused: decode::flag(row, "paused")?,
            has_work: decode::flag(row, "has_work")?,
            outstanding: decode::integer(row, "outstanding")?,
            outstanding_since: decode::optional_instant(row, "outstanding_since")?,
            left_alone: decode::integer(row, "left_alone")?,
            left_alone_since: decode::optional_instant(row, "left_alone_since")?,
            blocked: decode::integer(row, "blocked")?,
            quota: decode::optional_quota(row)?,
            has_run: decode::flag(row, "has_run")?,
            heartbeats: decode::json(row, "heartbeats")?,
            known_since: decode::optional_instant(row, "known_since")?,
        };
        let mut look = AlertLook { vitals, open: decode::json(row, "open_episodes")? };
        sort_by_key(&mut look.open, |episode| episode.number);
        Ok(look)
    })
}

/// Writes down what follows from a look, and the events of these kinds.
pub fn turn(turns: &Turns, kinds: &[EventKind], owner: &OwnerId) -> Batch<Turned> {
    let guarded =
        |what: String| vec![Value::Clock, what.into(), turns.seen_at.get().into(), owner.as_str().into()];
    let raised = serde_json::to_string(&turns.raised).expect("alerts are plain data with text keys");
    let moves = serde_json::to_string(&turns.moves).expect("moves are plain data with text keys");
    let kinds = serde_json::to_string(kinds).expect("words are JSON");
    Batch {
        writes: vec![
            Statement::new(&MOVE, guarded(moves)),
            Statement::new(&RAISE, guarded(raised)),
            Statement::new(&TELL, vec![owner.as_str().into(), kinds.into()]),
        ],
        readback: Query::new(&READ_TURNED, vec![owner.as_str().into()], |row| {
            Ok(Turned { raised: decode::integer(row, "raised")?, cleared: decode::integer(row, "cleared")? })
        }),
    }
}

/// [`EPISODE_COLUMNS`].
pub(crate) fn episode(row: &dyn Row) -> Result<Episode, DecodeError> {
    let kind: AlertKind = decode::parsed(row, "alert_kind")?;
    Ok(Episode {
        number: decode::integer(row, "episode_number")?,
        alert: Alert {
            kind,
            severity: kind.severity(),
            job: decode::optional_parsed(row, "alert_job")?,
            since: decode::optional_instant(row, "alert_since")?,
            count: decode::integer(row, "alert_count")?,
            meaning: decode::text(row, "alert_meaning")?,
            remedy: decode::text(row, "alert_remedy")?.into(),
        },
        raised_at: decode::instant(row, "alert_raised_at")?,
    })
}
