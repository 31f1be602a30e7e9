UPDATE outbox
SET state = 'pending',
    attempts = 0,
    next_attempt_at = clock.now
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
WHERE outbox.event_id = ?2
  AND EXISTS (SELECT 1 FROM operator_actions AS o WHERE o.token = ?3 AND o.landing = 1)
