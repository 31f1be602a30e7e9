UPDATE site_state
SET bank_revision = bank_revision + 1
WHERE id = 1
  AND EXISTS (SELECT 1 FROM publication_items AS i
              WHERE i.puzzle_id = ?1
    AND i.state IN ('scheduled', 'processing', 'blocked')
    AND i.due_at = coalesce(CAST(?3 AS INTEGER), i.due_at)
    AND CAST(?2 AS INTEGER) >= (SELECT p.playable_until FROM puzzles AS p WHERE p.puzzle_id = ?1)
                AND i.due_at <> CAST(?2 AS INTEGER))
