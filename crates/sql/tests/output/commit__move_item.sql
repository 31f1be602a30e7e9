UPDATE publication_items
SET state = ?8
WHERE (puzzle_id = ?2)
  AND EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?2 AND a.commit_token = ?7)
