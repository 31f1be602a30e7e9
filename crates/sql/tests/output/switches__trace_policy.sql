INSERT INTO operator_actions (token, at, actor, action, puzzle_id, reason, detail, landing)
SELECT ?3, clock.now, ?5, ?6, NULL, ?7, json_object('from_publish_late', s.publish_late, 'from_skip_older_than', s.skip_older_than,
    'publish_late', CAST(?1 AS INTEGER), 'skip_older_than', CAST(?2 AS INTEGER)), 1
FROM (SELECT CASE typeof(?4) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?4 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?4 AS INTEGER) END AS now) AS clock
JOIN site_state AS s ON s.id = 1
WHERE (s.publish_late <> CAST(?1 AS INTEGER) OR s.skip_older_than IS NOT CAST(?2 AS INTEGER))
  AND (?8 IS NULL
    OR (s.publish_late = CAST(?8 AS INTEGER) AND s.skip_older_than IS CAST(?9 AS INTEGER)))
ON CONFLICT (token) DO NOTHING
