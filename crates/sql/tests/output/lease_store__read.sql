SELECT clock.now, l.owner_id AS lease_owner_id, l.fence AS lease_fence_number, l.expires_at AS lease_expires_at
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
LEFT JOIN job_leases AS l ON l.key = ?2
