UPDATE answer_posts
SET content_version = content_version + 1,
    commit_token = ?7,
    updated_at = clock.now,
    bank_version = CAST(?9 AS INTEGER),
    play_date = ?14,
    name = ?15,
    price_cents = CAST(?16 AS INTEGER),
    body_html = ?17,
    image_key = ?10,
    indexable = CAST(?11 AS INTEGER)
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
WHERE answer_posts.puzzle_id = ?2
  AND ((SELECT l.owner_id FROM job_leases AS l WHERE l.key = ?3) = ?4)
  AND ((SELECT l.fence FROM job_leases AS l WHERE l.key = ?3) = ?5)
  AND ((SELECT l.expires_at > clock.now AND l.expires_at <= clock.now + 900000 FROM job_leases AS l WHERE l.key = ?3))
  AND (coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = ?2), 0) = ?6)
  AND ((SELECT i.state FROM publication_items AS i WHERE i.puzzle_id = ?2) = ?8)
  AND ((SELECT i.due_at FROM publication_items AS i WHERE i.puzzle_id = ?2) <= clock.now)
  AND ((SELECT p.bank_version FROM puzzles AS p WHERE p.puzzle_id = ?2) = ?9)
  AND ((SELECT CASE WHEN p.image_url IS NULL THEN ?10 IS NULL ELSE s.state = 'ready' AND s.image_url = p.image_url AND s.object_key = ?10 END FROM puzzles AS p LEFT JOIN source_images AS s ON s.puzzle_id = p.puzzle_id WHERE p.puzzle_id = ?2))
  AND (coalesce((SELECT a.indexable FROM answer_posts AS a WHERE a.puzzle_id = ?2), 0) <= ?11)
  AND ((?10 IS NOT NULL OR (SELECT a.image_key FROM answer_posts AS a WHERE a.puzzle_id = ?2) IS NULL))
  AND ((SELECT s.paused FROM site_state AS s WHERE s.id = 1) = 0)
