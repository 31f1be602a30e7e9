UPDATE publication_items AS i
SET due_at = CAST(?2 AS INTEGER),
    next_attempt_at = 0
WHERE i.puzzle_id = ?1
    AND i.state IN ('scheduled', 'processing', 'blocked')
    AND i.due_at = coalesce(CAST(?3 AS INTEGER), i.due_at)
    AND CAST(?2 AS INTEGER) >= (SELECT p.playable_until FROM puzzles AS p WHERE p.puzzle_id = ?1)
