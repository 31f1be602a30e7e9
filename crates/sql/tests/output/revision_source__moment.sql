SELECT clock.now, s.publication_revision, s.bank_revision,
  s.paused = 0
    AND EXISTS (SELECT 1
                FROM publication_items AS i INDEXED BY publication_items_wake
                WHERE i.state IN ('scheduled', 'processing')
                  AND max(i.due_at, i.next_attempt_at) BETWEEN (SELECT max(coalesce(clock.now - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE clock.now - clock.now % 86400000 END) FROM site_state AS policy WHERE policy.id = 1) AND clock.now
                  AND i.due_at >= (SELECT max(coalesce(clock.now - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE clock.now - clock.now % 86400000 END) FROM site_state AS policy WHERE policy.id = 1)) AS overdue,
  (SELECT max(v.instant) FROM visibility_instants AS v WHERE v.instant <= clock.now) AS last_instant,
  (SELECT min(v.instant) FROM visibility_instants AS v WHERE v.instant > clock.now) AS next_instant
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
JOIN site_state AS s ON s.id = 1
