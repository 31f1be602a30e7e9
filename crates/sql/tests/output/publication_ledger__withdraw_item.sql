UPDATE publication_items
SET state = 'withdrawn',
    blocked_reason = NULL
WHERE puzzle_id = ?1
  AND state IN ('scheduled', 'processing', 'blocked')
  AND EXISTS (SELECT 1 FROM job_leases AS l WHERE l.key = ?2 AND l.owner_id = ?3 AND l.fence = ?4)
