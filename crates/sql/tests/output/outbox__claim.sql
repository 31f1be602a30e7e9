UPDATE outbox
SET attempts = attempts + 1,
    next_attempt_at = clock.now + min(30000 << min(attempts, 20), 21600000),
    claimed_by = ?2,
    claimed_until = clock.now + 60000
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
WHERE outbox.number = (SELECT o.number
                       FROM outbox AS o
                       WHERE o.state = 'pending'
                         AND o.next_attempt_at <= (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END)
                         AND o.claimed_until <= (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END)
                         AND o.kind IN (SELECT value FROM json_each(?3))
                       ORDER BY o.next_attempt_at, o.number
                       LIMIT 1)
  AND NOT EXISTS (SELECT 1
                  FROM outbox AS held
                  WHERE held.claimed_by = ?2)
