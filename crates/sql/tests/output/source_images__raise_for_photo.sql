UPDATE site_state
SET bank_revision = bank_revision + 1
WHERE id = 1
  AND EXISTS (SELECT 1
              FROM puzzles AS p
              JOIN job_leases AS l ON l.key = ?3
              LEFT JOIN source_images AS m ON m.puzzle_id = ?2 AND m.image_url = p.image_url
              WHERE p.puzzle_id = ?2
                AND p.image_url = ?6
                AND l.owner_id = ?4
                AND l.fence = ?5
                AND m.object_key IS NOT ?1)
