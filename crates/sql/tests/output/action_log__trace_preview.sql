INSERT INTO operator_actions (token, at, actor, action, puzzle_id, reason, detail, landing)
SELECT ?2, clock.now, ?3, ?4, CAST(?6 AS INTEGER), ?5, json_object('expires_at', CAST(?7 AS INTEGER)), 0
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
WHERE EXISTS (SELECT 1 FROM puzzles AS p WHERE p.puzzle_id = ?6)
ON CONFLICT (token) DO NOTHING
