INSERT INTO operator_actions (token, at, actor, action, puzzle_id, reason, detail, landing)
SELECT ?4, clock.now, ?6, ?7, i.puzzle_id, ?8, json_object('from', i.due_at, 'to', CAST(?2 AS INTEGER)), 1
FROM (SELECT CASE typeof(?5) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?5 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?5 AS INTEGER) END AS now) AS clock
JOIN publication_items AS i ON i.puzzle_id = ?1
WHERE i.state IN ('scheduled', 'processing', 'blocked')
  AND i.due_at = coalesce(CAST(?3 AS INTEGER), i.due_at)
  AND i.due_at <> CAST(?2 AS INTEGER)
  AND CAST(?2 AS INTEGER) >= (SELECT p.playable_until FROM puzzles AS p WHERE p.puzzle_id = ?1)
ON CONFLICT (token) DO NOTHING
