INSERT INTO operator_actions (token, at, actor, action, puzzle_id, reason, detail, landing)
SELECT ?2, clock.now, ?4, ?5, i.puzzle_id, ?6, json_object('attempts', i.attempts, 'from', i.state, 'to', 'scheduled'), 1
FROM (SELECT CASE typeof(?3) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?3 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?3 AS INTEGER) END AS now) AS clock
JOIN publication_items AS i ON i.puzzle_id = ?1
WHERE i.state IN ('scheduled', 'processing', 'blocked')
  AND (i.state, i.attempts, i.next_attempt_at) <> ('scheduled', 0, 0)
ON CONFLICT (token) DO NOTHING
