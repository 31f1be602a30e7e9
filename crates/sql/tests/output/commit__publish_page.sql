INSERT INTO answer_posts (puzzle_id, content_version, commit_token, updated_at, bank_version, play_date, name, price_cents, body_html, image_key, indexable, published_at)
SELECT ?2, CAST(?6 AS INTEGER) + 1, ?7, clock.now, CAST(?9 AS INTEGER), ?14, ?15, CAST(?16 AS INTEGER), ?17, ?10, CAST(?11 AS INTEGER), clock.now
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
WHERE ((SELECT l.owner_id FROM job_leases AS l WHERE l.key = ?3) = ?4)
  AND ((SELECT l.fence FROM job_leases AS l WHERE l.key = ?3) = ?5)
  AND ((SELECT l.expires_at > clock.now AND l.expires_at <= clock.now + 900000 FROM job_leases AS l WHERE l.key = ?3))
  AND (coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = ?2), 0) = ?6)
  AND ((SELECT i.state FROM publication_items AS i WHERE i.puzzle_id = ?2) = ?8)
  AND ((SELECT i.due_at FROM publication_items AS i WHERE i.puzzle_id = ?2) <= clock.now)
  AND ((?13 OR (SELECT i.due_at FROM publication_items AS i WHERE i.puzzle_id = ?2) >= (SELECT max(coalesce(clock.now - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE clock.now - clock.now % 86400000 END) FROM site_state AS policy WHERE policy.id = 1)))
  AND ((SELECT p.bank_version FROM puzzles AS p WHERE p.puzzle_id = ?2) = ?9)
  AND ((SELECT CASE WHEN p.image_url IS NULL THEN ?10 IS NULL ELSE s.state = 'ready' AND s.image_url = p.image_url AND s.object_key = ?10 END FROM puzzles AS p LEFT JOIN source_images AS s ON s.puzzle_id = p.puzzle_id WHERE p.puzzle_id = ?2))
  AND (coalesce((SELECT q.published < coalesce(q.set_quota, max(q.quota, ?12)) FROM daily_quotas AS q WHERE q.utc_day = clock.now / 86400000), 0 < ?12))
  AND ((SELECT s.paused FROM site_state AS s WHERE s.id = 1) = 0)
