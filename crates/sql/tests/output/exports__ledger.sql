SELECT p.puzzle_id, p.play_date, p.bank_version, i.state, i.due_at, i.attempts, i.next_attempt_at, i.blocked_reason, coalesce(a.content_version, 0) AS page_version,
  a.bank_version AS page_bank_version, a.indexable, a.image_key, a.published_at, a.updated_at, a.withdrawn_at
FROM puzzles AS p
JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
LEFT JOIN answer_posts AS a ON a.puzzle_id = p.puzzle_id
WHERE p.puzzle_id > ?1
ORDER BY p.puzzle_id
LIMIT CAST(?2 AS INTEGER)
