UPDATE publication_items
SET state = ?3
WHERE (puzzle_id = ?1)
  AND EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?1 AND a.commit_token = ?2)
