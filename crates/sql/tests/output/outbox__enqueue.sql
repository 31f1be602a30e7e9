INSERT INTO outbox (event_id, kind, puzzle_id, content_version, revision, happened_at, created_at, next_attempt_at)
SELECT r.kind || '-' || r.puzzle_id || '-v' || r.content_version, CASE r.kind WHEN 'publish' THEN 'published' WHEN 'update' THEN 'updated' WHEN 'withdraw' THEN 'withdrawn' WHEN 'reinstate' THEN 'reinstated' END, r.puzzle_id, r.content_version,
  r.revision, r.committed_at, clock.now, clock.now
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
JOIN outbox_cursor AS c ON c.id = 1
JOIN commit_receipts AS r ON r.revision > c.revision
WHERE CASE r.kind WHEN 'publish' THEN 'published' WHEN 'update' THEN 'updated' WHEN 'withdraw' THEN 'withdrawn' WHEN 'reinstate' THEN 'reinstated' END IN (SELECT value FROM json_each(?2))
ORDER BY r.revision
ON CONFLICT DO NOTHING
