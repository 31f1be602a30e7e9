SELECT clock.now, s.publication_revision > coalesce(c.revision, -1) AS is_behind,
  (SELECT min(max(o.next_attempt_at, o.claimed_until))
   FROM outbox AS o
   WHERE o.state = 'pending'
     AND o.kind IN (SELECT value FROM json_each(?2))) AS next_at
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
JOIN site_state AS s ON s.id = 1
LEFT JOIN outbox_cursor AS c ON c.id = 1
