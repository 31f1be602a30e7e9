INSERT INTO job_leases (key, owner_id, fence, expires_at, updated_at)
SELECT ?2, ?3, 1, clock.now + CAST(?4 AS INTEGER), clock.now
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
WHERE EXISTS (SELECT 1 FROM puzzles AS p
              LEFT JOIN source_images AS m
                ON m.puzzle_id = p.puzzle_id AND m.image_url = p.image_url AND m.state = 'ready'
              WHERE p.puzzle_id = ?5
                AND p.image_url IS NOT NULL
                AND m.puzzle_id IS NULL)
ON CONFLICT (key) DO UPDATE
SET owner_id = excluded.owner_id,
    fence = CASE WHEN job_leases.expires_at > excluded.updated_at AND job_leases.expires_at <= excluded.updated_at + 900000 THEN fence ELSE fence + 1 END,
    expires_at = excluded.expires_at,
    updated_at = excluded.updated_at
WHERE job_leases.owner_id = excluded.owner_id
   OR NOT (job_leases.expires_at > excluded.updated_at AND job_leases.expires_at <= excluded.updated_at + 900000)
