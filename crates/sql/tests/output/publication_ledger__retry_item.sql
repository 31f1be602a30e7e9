UPDATE publication_items
SET state = 'scheduled',
    attempts = 0,
    next_attempt_at = 0,
    blocked_reason = NULL
WHERE puzzle_id = ?1
  AND state IN ('scheduled', 'processing', 'blocked')
