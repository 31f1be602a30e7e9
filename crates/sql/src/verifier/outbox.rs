//! What is told to others is what happened.
//!
//! An event is derived from a receipt or from an episode, so it has to agree with it in
//! everything. Whether every receipt has its event cannot be known: which kinds of event a
//! site wanted is a setting, and is remembered nowhere. But what lies behind the cursor was
//! looked at and what lies before it was not, so a cursor on the wrong side of something is
//! an event that was lost, or one that will be told twice.

use fencepost_domain::{commit::CommitKind, episode::Edge, outbox::EventKind};

use super::finding;
use crate::{outbox::told, sql_texts};

/// The subject of what concerns an event.
const EVENT: &str = "'event ' || o.event_id";

sql_texts! {
    /// An event of a page is that of the receipt of its revision.
    EVENTS_OF_RECEIPTS = "verifier/events_of_receipts", format!("\
{}
FROM outbox AS o
LEFT JOIN commit_receipts AS r ON r.revision = o.revision
WHERE o.kind IN ({kinds})
  AND (o.event_id, o.kind, o.puzzle_id, o.content_version, o.happened_at) IS NOT
      (r.kind || '-' || r.puzzle_id || '-v' || r.content_version, {told}, r.puzzle_id, r.content_version, r.committed_at)",
        finding(
            "event_not_of_receipt",
            EVENT,
            "CASE WHEN r.revision IS NULL THEN 'there is no receipt of revision ' || coalesce(o.revision, 'none')
    ELSE 'the receipt of revision ' || r.revision || ' tells of something else: ' || r.kind || ' of puzzle ' || r.puzzle_id
    || ', version ' || r.content_version || ', at ' || r.committed_at END",
            &[("outbox", "o.number"), ("commit_receipts", "r.commit_token")],
        ),
        kinds = words(&CommitKind::ALL.map(EventKind::of)),
        told = told());
    /// An event of an alert is one of the two edges of its episode.
    EVENTS_OF_EPISODES = "verifier/events_of_episodes", format!("\
{}
FROM outbox AS o
LEFT JOIN alert_episodes AS v ON v.number = o.episode
WHERE o.kind = '{raised}' AND (o.event_id, o.happened_at) IS NOT ('alert-' || v.number || '-raised', v.raised_at)
   OR o.kind = '{cleared}' AND (o.event_id, o.happened_at) IS NOT ('alert-' || v.number || '-cleared', v.cleared_at)",
        finding(
            "event_not_of_alert",
            EVENT,
            "CASE WHEN v.number IS NULL THEN 'there is no alert ' || coalesce(o.episode, 'at all')
    ELSE 'alert ' || v.number || ' was raised at ' || v.raised_at || ', and cleared at ' || coalesce(v.cleared_at, 'no time') END",
            &[("outbox", "o.number"), ("alert_episodes", "v.number")],
        ),
        raised = EventKind::of_edge(Edge::Raised).as_str(),
        cleared = EventKind::of_edge(Edge::Cleared).as_str());
    /// The cursor is not ahead of the site: what is committed next would never be told.
    CURSOR_AHEAD = "verifier/cursor_ahead", format!("\
{}
FROM outbox_cursor AS c
JOIN site_state AS s ON c.revision > s.publication_revision",
        finding(
            "outbox_cursor_ahead",
            "'site'",
            "'the outbox has looked at receipts up to revision ' || c.revision || ', and the site is at revision '
    || s.publication_revision",
            &[("outbox_cursor", "c.id"), ("site_state", "s.id")],
        ));
    /// Nothing is enqueued of a receipt that the cursor has not passed.
    EVENTS_AHEAD = "verifier/events_ahead", format!("\
{}
FROM outbox AS o
LEFT JOIN outbox_cursor AS c ON c.id = 1
WHERE o.revision > coalesce(c.revision, -1)",
        finding(
            "event_ahead_of_cursor",
            EVENT,
            "'it is of revision ' || o.revision || ', and the outbox has looked at receipts up to '
    || coalesce(c.revision, 'none')",
            &[("outbox", "o.number"), ("outbox_cursor", "c.id")],
        ));
    /// What was delivered says when, and nothing else does; and nobody has in hand what is at
    /// its end.
    DELIVERIES = "verifier/deliveries", format!("\
{}
FROM outbox AS o
WHERE (o.state = 'delivered') <> (o.delivered_at IS NOT NULL)
   OR (o.state <> 'pending' AND o.claimed_by IS NOT NULL)",
        finding(
            "delivery_does_not_fit",
            EVENT,
            "'it is ' || o.state || ', was delivered at ' || coalesce(o.delivered_at, 'no time')
    || ', and is in the hands of ' || coalesce(o.claimed_by, 'nobody')",
            &[("outbox", "o.number")],
        ));
}

/// The words of kinds of event, as a list.
fn words(kinds: &[EventKind]) -> String {
    let words: Vec<_> = kinds.iter().map(|kind| format!("'{}'", kind.as_str())).collect();
    words.join(", ")
}
