UPDATE site_state
SET publication_revision = publication_revision + 1
WHERE (id = 1)
  AND EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?2 AND a.commit_token = ?7)
