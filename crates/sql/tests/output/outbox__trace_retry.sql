INSERT INTO operator_actions (token, at, actor, action, puzzle_id, reason, detail, landing)
SELECT ?2, clock.now, ?4, ?5, e.puzzle_id, ?6, json_object('event', e.event_id, 'from', e.state), 1
FROM (SELECT CASE typeof(?3) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?3 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?3 AS INTEGER) END AS now) AS clock
JOIN outbox AS e ON e.event_id = ?1
WHERE e.state <> 'delivered'
  AND NOT (e.state = 'pending' AND e.attempts = 0 AND e.next_attempt_at <= clock.now)
ON CONFLICT (token) DO NOTHING
