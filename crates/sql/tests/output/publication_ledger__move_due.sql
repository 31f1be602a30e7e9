UPDATE publication_items
SET due_at = CAST(?3 AS INTEGER),
    next_attempt_at = 0
WHERE puzzle_id = ?1
  AND EXISTS (SELECT 1 FROM operator_actions AS o WHERE o.token = ?2 AND o.landing = 1)
