INSERT INTO operator_actions (token, at, actor, action, puzzle_id, reason, detail, landing)
SELECT ?2, clock.now, ?4, ?5, NULL, ?6, json_object('from', q.set_quota, 'to', CAST(?1 AS INTEGER)), 1
FROM (SELECT CASE typeof(?3) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?3 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?3 AS INTEGER) END AS now) AS clock
LEFT JOIN daily_quotas AS q ON q.utc_day = clock.now / 86400000
WHERE q.set_quota IS NOT CAST(?1 AS INTEGER)
  AND (CAST(?7 AS INTEGER) = 0 OR q.set_quota IS CAST(?8 AS INTEGER))
ON CONFLICT (token) DO NOTHING
