SELECT p.puzzle_id, p.play_date, p.name, i.state, i.due_at, i.attempts, i.next_attempt_at, i.blocked_reason,
  coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = p.puzzle_id), 0) AS page_version
FROM puzzles AS p
JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
WHERE p.play_date > ?1
ORDER BY p.play_date ASC
LIMIT CAST(?2 AS INTEGER)
