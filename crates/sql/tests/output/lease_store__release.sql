UPDATE job_leases
SET expires_at = 0,
    updated_at = clock.now
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
WHERE job_leases.key = ?2
  AND job_leases.owner_id = ?3
  AND job_leases.fence = ?4
