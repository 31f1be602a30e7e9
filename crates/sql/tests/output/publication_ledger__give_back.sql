UPDATE publication_items
SET state = ?5,
    attempts = attempts + CAST(?6 AS INTEGER),
    next_attempt_at = coalesce(clock.now + CAST(?7 AS INTEGER), next_attempt_at),
    blocked_reason = ?8
FROM (SELECT CASE typeof(?9) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?9 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?9 AS INTEGER) END AS now) AS clock
WHERE publication_items.puzzle_id = ?1
  AND publication_items.state = 'processing'
  AND EXISTS (SELECT 1 FROM job_leases AS l WHERE l.key = ?2 AND l.owner_id = ?3 AND l.fence = ?4)
