UPDATE site_state
SET bank_revision = bank_revision + 1
WHERE id = 1
  AND EXISTS (SELECT 1 FROM publication_items AS i
              WHERE i.puzzle_id = ?1
                AND i.state IN ('scheduled', 'processing', 'blocked'))
  AND EXISTS (SELECT 1 FROM job_leases AS l WHERE l.key = ?2 AND l.owner_id = ?3 AND l.fence = ?4)
