UPDATE outbox
SET state = ?4,
    last_error = ?5,
    delivered_at = CASE WHEN ?4 = 'delivered' THEN clock.now END,
    claimed_by = NULL,
    claimed_until = 0
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
WHERE outbox.event_id = ?2
  AND outbox.state = 'pending'
  AND outbox.claimed_by = ?3
