INSERT INTO operator_actions (token, at, actor, action, puzzle_id, reason, detail, landing)
SELECT ?5, clock.now, ?7, ?8, i.puzzle_id, ?9, json_object('from', i.state, 'to', 'scheduled'), 1
FROM (SELECT CASE typeof(?6) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?6 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?6 AS INTEGER) END AS now) AS clock
JOIN publication_items AS i ON i.puzzle_id = ?1
WHERE i.state = 'withdrawn'
  AND NOT EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?1)
  AND EXISTS (SELECT 1 FROM job_leases AS l WHERE l.key = ?2 AND l.owner_id = ?3 AND l.fence = ?4)
ON CONFLICT (token) DO NOTHING
