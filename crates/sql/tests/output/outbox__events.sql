SELECT o.number, o.state, o.attempts, o.created_at, o.next_attempt_at, o.last_error, o.delivered_at, o.event_id, o.kind, o.puzzle_id, o.content_version, o.revision, o.happened_at
FROM outbox AS o
WHERE o.number < coalesce(?1, 9223372036854775807)
  AND o.state = coalesce(?2, o.state)
ORDER BY o.number DESC
LIMIT CAST(?3 AS INTEGER)
