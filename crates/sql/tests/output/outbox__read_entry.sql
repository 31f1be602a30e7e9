SELECT o.number, o.state, o.attempts, o.created_at, o.next_attempt_at, o.last_error, o.delivered_at, o.event_id, o.kind, o.puzzle_id, o.content_version, o.revision, o.happened_at
FROM outbox AS o
WHERE o.event_id = ?1
