UPDATE publication_items
SET state = 'scheduled',
    attempts = 0,
    next_attempt_at = 0,
    blocked_reason = NULL
WHERE puzzle_id = ?1
  AND EXISTS (SELECT 1 FROM operator_actions AS o WHERE o.token = ?2 AND o.landing = 1)
