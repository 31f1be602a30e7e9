UPDATE answer_posts
SET content_version = content_version + 1,
    commit_token = ?7,
    updated_at = clock.now,
    withdrawn_at = clock.now
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
WHERE answer_posts.puzzle_id = ?2
  AND ((SELECT l.owner_id FROM job_leases AS l WHERE l.key = ?3) = ?4)
  AND ((SELECT l.fence FROM job_leases AS l WHERE l.key = ?3) = ?5)
  AND ((SELECT l.expires_at > clock.now AND l.expires_at <= clock.now + 900000 FROM job_leases AS l WHERE l.key = ?3))
  AND (coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = ?2), 0) = ?6)
  AND ((SELECT i.state FROM publication_items AS i WHERE i.puzzle_id = ?2) = ?8)
