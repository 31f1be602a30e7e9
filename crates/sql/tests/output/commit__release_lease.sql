UPDATE job_leases
SET expires_at = 0,
    updated_at = (SELECT a.updated_at FROM answer_posts AS a WHERE a.puzzle_id = ?2)
WHERE (key = ?3 AND owner_id = ?4 AND fence = ?5)
  AND EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?2 AND a.commit_token = ?7)
