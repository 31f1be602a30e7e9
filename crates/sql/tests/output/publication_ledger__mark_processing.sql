UPDATE publication_items
SET state = 'processing'
WHERE puzzle_id = ?1
  AND state = 'scheduled'
  AND EXISTS (SELECT 1 FROM job_leases AS l
              WHERE l.key = ?2
                AND l.owner_id = ?3
                AND l.expires_at > l.updated_at
                AND publication_items.due_at <= l.updated_at
                AND publication_items.next_attempt_at <= l.updated_at)
