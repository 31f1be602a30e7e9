SELECT clock.now, s.paused, q.published AS quota_published, q.quota AS quota_limit, q.set_quota AS quota_set, work.puzzle_id, work.due_at, work.leased, work.photo_ready
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
JOIN site_state AS s ON s.id = 1
LEFT JOIN daily_quotas AS q ON q.utc_day = clock.now / 86400000
LEFT JOIN (
  SELECT i.puzzle_id, i.due_at,
    coalesce((SELECT l.expires_at > (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) AND l.expires_at <= (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) + 900000 FROM job_leases AS l WHERE l.key = 'publication:' || i.puzzle_id), 0) AS leased,
    EXISTS (SELECT 1
            FROM puzzles AS p
            LEFT JOIN source_images AS m ON m.puzzle_id = p.puzzle_id AND m.image_url = p.image_url
            WHERE p.puzzle_id = i.puzzle_id
              AND (p.image_url IS NULL OR m.state = 'ready')) AS photo_ready
  FROM publication_items AS i INDEXED BY publication_items_runnable
  WHERE i.state IN ('scheduled', 'processing')
    AND i.due_at BETWEEN (SELECT max(coalesce((CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) % 86400000 END) FROM site_state AS policy WHERE policy.id = 1) AND (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END)
    AND (i.due_at, i.puzzle_id) > (CAST(?2 AS INTEGER), CAST(?3 AS INTEGER))
    AND (i.next_attempt_at <= (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) OR i.next_attempt_at > (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) + 3600000)
  ORDER BY i.due_at, i.puzzle_id
  LIMIT CAST(?4 AS INTEGER)) AS work ON true
