UPDATE publication_items
SET state = 'withdrawn',
    blocked_reason = NULL
WHERE puzzle_id = ?1
  AND EXISTS (SELECT 1 FROM operator_actions AS o WHERE o.token = ?2 AND o.landing = 1)
