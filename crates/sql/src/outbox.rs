//! The outbox: events enqueued from receipts, claimed, and recorded.
//!
//! Enqueuing is one batch over the receipts behind a cursor. Revisions are given out inside
//! of commits, one after the other and without a gap, so no receipt ever appears behind the
//! cursor. What is there when the cursor is made was published before anybody wanted to be
//! told, and is left out.
//!
//! A claim writes whatever a worker that dies right afterwards would have had to write: the
//! count of attempts, and the instant of the next one. Whoever reports later does so only
//! while the claim is its own.

use fencepost_domain::{
    action::Entry,
    commit::CommitKind,
    id::{ContentVersion, OwnerId},
    outbox::{
        AlertEdge, CLAIM_MS, ClaimedEvent, DeliveryEnd, Event, EventId, EventKind, EventState, FIRST_WAIT_MS,
        LONGEST_WAIT_MS, OutboxEntry, OutboxTally, OutboxWork, PageChange, Subject, Topic,
    },
    revision::Revision,
};

use crate::{
    Batch, DecodeError, Query, Row, Statement, Value,
    action_log::{entry_params, landed, landing, trace_sql},
    alert_log::{EPISODE_COLUMNS, episode},
    clock::{CLOCK, NOW},
    decode, sql_texts,
};

/// The columns of an event.
const EVENT_COLUMNS: &str = "o.event_id, o.kind, o.puzzle_id, o.content_version, o.revision, o.happened_at";
/// What the event `o` is of, if that is an alert.
const ITS_EPISODE: &str = "LEFT JOIN alert_episodes AS v ON v.number = o.episode";
/// The columns of an event, and where it stands.
const ENTRY_COLUMNS: &str =
    "o.number, o.state, o.attempts, o.created_at, o.next_attempt_at, o.last_error, o.delivered_at";

sql_texts! {
    /// Whether receipts were not looked at yet, and when the next event can be claimed.
    WORK = "outbox/work", format!("\
SELECT clock.now, s.publication_revision > coalesce(c.revision, -1) AS is_behind,
  (SELECT min(max(o.next_attempt_at, o.claimed_until))
   FROM outbox AS o
   WHERE o.state = 'pending'
     AND o.kind IN (SELECT value FROM json_each(?2))) AS next_at
FROM {CLOCK}
JOIN site_state AS s ON s.id = 1
LEFT JOIN outbox_cursor AS c ON c.id = 1");
    /// The cursor, where it begins: at what is published already.
    BEGIN = "outbox/begin", "\
INSERT INTO outbox_cursor (id, revision)
SELECT 1, s.publication_revision
FROM site_state AS s
WHERE s.id = 1
ON CONFLICT (id) DO NOTHING";
    /// The events of the receipts behind the cursor.
    ENQUEUE = "outbox/enqueue", format!("\
INSERT INTO outbox (event_id, kind, puzzle_id, content_version, revision, happened_at, created_at, next_attempt_at)
SELECT r.kind || '-' || r.puzzle_id || '-v' || r.content_version, {told}, r.puzzle_id, r.content_version,
  r.revision, r.committed_at, clock.now, clock.now
FROM {CLOCK}
JOIN outbox_cursor AS c ON c.id = 1
JOIN commit_receipts AS r ON r.revision > c.revision
WHERE {told} IN (SELECT value FROM json_each(?2))
ORDER BY r.revision
ON CONFLICT DO NOTHING", told = told());
    /// The cursor, moved behind them.
    ADVANCE = "outbox/advance", "\
UPDATE outbox_cursor
SET revision = s.publication_revision
FROM site_state AS s
WHERE outbox_cursor.id = 1
  AND s.id = 1
  AND outbox_cursor.revision < s.publication_revision";
    /// Where the cursor is.
    READ_CURSOR = "outbox/read_cursor", "\
SELECT c.revision
FROM outbox_cursor AS c
WHERE c.id = 1";
    /// The event that has been due longest, unless the owner has one in hand.
    CLAIM = "outbox/claim", format!("\
UPDATE outbox
SET attempts = attempts + 1,
    next_attempt_at = clock.now + min({FIRST_WAIT_MS} << min(attempts, 20), {LONGEST_WAIT_MS}),
    claimed_by = ?2,
    claimed_until = clock.now + {CLAIM_MS}
FROM {CLOCK}
WHERE outbox.number = (SELECT o.number
                       FROM outbox AS o
                       WHERE o.state = 'pending'
                         AND o.next_attempt_at <= {NOW}
                         AND o.claimed_until <= {NOW}
                         AND o.kind IN (SELECT value FROM json_each(?3))
                       ORDER BY o.next_attempt_at, o.number
                       LIMIT 1)
  AND NOT EXISTS (SELECT 1
                  FROM outbox AS held
                  WHERE held.claimed_by = ?2)");
    /// What the owner has in hand.
    READ_CLAIM = "outbox/read_claim", format!("\
SELECT clock.now, o.attempts, {EVENT_COLUMNS}, {EPISODE_COLUMNS}
FROM {CLOCK}
JOIN outbox AS o ON o.claimed_by = ?2
  AND o.claimed_until > clock.now
{ITS_EPISODE}");
    /// How a delivery ended, said by whoever has the event in hand.
    RECORD = "outbox/record", format!("\
UPDATE outbox
SET state = ?4,
    last_error = ?5,
    delivered_at = CASE WHEN ?4 = 'delivered' THEN clock.now END,
    claimed_by = NULL,
    claimed_until = 0
FROM {CLOCK}
WHERE outbox.event_id = ?2
  AND outbox.state = 'pending'
  AND outbox.claimed_by = ?3");
    /// An event is tried at once, with all of its attempts before it.
    RETRY = "outbox/retry", format!("\
UPDATE outbox
SET state = 'pending',
    attempts = 0,
    next_attempt_at = clock.now
FROM {CLOCK}
WHERE outbox.event_id = ?2
  AND {}", landing("?3"));
    /// The trace of a person who lets an event be tried again, and its guard: one that is
    /// delivered is not sent again, and one that would be tried at once from the beginning
    /// would not change.
    TRACE_RETRY = "outbox/trace_retry", trace_sql(
        2,
        "e.puzzle_id",
        "json_object('event', e.event_id, 'from', e.state)",
        "\
JOIN outbox AS e ON e.event_id = ?1
WHERE e.state <> 'delivered'
  AND NOT (e.state = 'pending' AND e.attempts = 0 AND e.next_attempt_at <= clock.now)");
    /// An event, and where it stands.
    READ_ENTRY = "outbox/read_entry", format!("\
SELECT {ENTRY_COLUMNS}, {EVENT_COLUMNS}, {EPISODE_COLUMNS}
FROM outbox AS o
{ITS_EPISODE}
WHERE o.event_id = ?1");
    /// Events, the newest first.
    EVENTS = "outbox/events", format!("\
SELECT {ENTRY_COLUMNS}, {EVENT_COLUMNS}, {EPISODE_COLUMNS}
FROM outbox AS o
{ITS_EPISODE}
WHERE o.number < coalesce(?1, 9223372036854775807)
  AND o.state = coalesce(?2, o.state)
ORDER BY o.number DESC
LIMIT CAST(?3 AS INTEGER)");
    /// How the outbox stands.
    TALLY = "outbox/tally", "\
SELECT count(*) FILTER (WHERE o.state = 'pending') AS pending,
  count(*) FILTER (WHERE o.state = 'dead') AS dead
FROM outbox AS o
WHERE o.state <> 'delivered'";
}

/// The kind of event of a receipt `r`.
pub(crate) fn told() -> String {
    let cases = CommitKind::ALL.map(|kind| {
        let (stored, told) = (kind.as_str(), EventKind::of(kind).as_str());
        format!("WHEN '{stored}' THEN '{told}'")
    });
    format!("CASE r.kind {} END", cases.join(" "))
}

fn words(kinds: &[EventKind]) -> Value {
    serde_json::to_string(kinds).expect("words are JSON").into()
}

/// What there is to do.
pub fn work(kinds: &[EventKind]) -> Query<OutboxWork> {
    Query::new(&WORK, vec![Value::Clock, words(kinds)], |row| {
        Ok(OutboxWork {
            now: decode::instant(row, "now")?,
            is_behind: decode::flag(row, "is_behind")?,
            next_at: decode::optional_instant(row, "next_at")?,
        })
    })
}

/// Enqueues what is new.
pub fn enqueue(kinds: &[EventKind]) -> Batch<Revision> {
    Batch {
        writes: vec![
            Statement::new(&BEGIN, vec![]),
            Statement::new(&ENQUEUE, vec![Value::Clock, words(kinds)]),
            Statement::new(&ADVANCE, vec![]),
        ],
        readback: Query::new(&READ_CURSOR, vec![], |row| {
            Ok(Revision::new(decode::integer(row, "revision")?))
        }),
    }
}

/// Claims an event.
pub fn claim(kinds: &[EventKind], owner: &OwnerId) -> Batch<ClaimedEvent> {
    let claimer = owner.clone();
    Batch {
        writes: vec![Statement::new(&CLAIM, vec![Value::Clock, owner.as_str().into(), words(kinds)])],
        readback: Query::new(&READ_CLAIM, vec![Value::Clock, owner.as_str().into()], move |row| {
            Ok(ClaimedEvent {
                now: decode::instant(row, "now")?,
                event: event(row)?,
                attempt: decode::integer(row, "attempts")?,
                owner: claimer.clone(),
            })
        }),
    }
}

/// Records how a delivery ended.
pub fn record(claimed: &ClaimedEvent, end: &DeliveryEnd) -> Batch<OutboxEntry> {
    let params = vec![
        Value::Clock,
        claimed.event.event_id.as_str().into(),
        claimed.owner.as_str().into(),
        end.state(claimed.attempt).as_str().into(),
        end.error().into(),
    ];
    Batch { writes: vec![Statement::new(&RECORD, params)], readback: read_entry(&claimed.event.event_id) }
}

/// Lets an event be tried at once.
pub fn retry(event: &EventId, entry: &Entry) -> Batch<OutboxEntry> {
    let mut guarded = vec![event.as_str().into()];
    guarded.extend(entry_params(entry));
    let params = vec![Value::Clock, event.as_str().into(), entry.token.as_str().into()];
    Batch {
        writes: vec![Statement::new(&TRACE_RETRY, guarded), Statement::new(&RETRY, params), landed(entry)],
        readback: read_entry(event),
    }
}

/// Events, the newest first.
pub fn events(state: Option<EventState>, before: Option<i64>, limit: u32) -> Query<OutboxEntry> {
    let params = vec![before.into(), state.map(EventState::as_str).into(), i64::from(limit).into()];
    Query::new(&EVENTS, params, entry)
}

/// How the outbox stands.
pub fn tally() -> Query<OutboxTally> {
    Query::new(&TALLY, vec![], |row| {
        Ok(OutboxTally { pending: decode::integer(row, "pending")?, dead: decode::integer(row, "dead")? })
    })
}

fn read_entry(event: &EventId) -> Query<OutboxEntry> {
    Query::new(&READ_ENTRY, vec![event.as_str().into()], entry)
}

fn entry(row: &dyn Row) -> Result<OutboxEntry, DecodeError> {
    Ok(OutboxEntry {
        number: decode::integer(row, "number")?,
        event: event(row)?,
        state: decode::parsed(row, "state")?,
        attempts: decode::integer(row, "attempts")?,
        created_at: decode::instant(row, "created_at")?,
        next_attempt_at: decode::instant(row, "next_attempt_at")?,
        last_error: row.text("last_error")?,
        delivered_at: decode::optional_instant(row, "delivered_at")?,
    })
}

fn event(row: &dyn Row) -> Result<Event, DecodeError> {
    let kind: EventKind = decode::parsed(row, "kind")?;
    let subject = match kind.topic() {
        Topic::Page(change) => Subject::Page(PageChange {
            change,
            puzzle_id: decode::puzzle_id(row, "puzzle_id")?,
            content_version: ContentVersion::new(decode::integer(row, "content_version")?),
            revision: Revision::new(decode::integer(row, "revision")?),
        }),
        Topic::Alert(edge) => Subject::Alert(AlertEdge { edge, episode: episode(row)? }),
    };
    Ok(Event {
        event_id: decode::parsed(row, "event_id")?,
        subject,
        happened_at: decode::instant(row, "happened_at")?,
    })
}
