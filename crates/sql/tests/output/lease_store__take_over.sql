INSERT INTO job_leases (key, owner_id, fence, expires_at, updated_at)
SELECT ?2, ?3, 1, clock.now + CAST(?4 AS INTEGER), clock.now
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
WHERE true
ON CONFLICT (key) DO UPDATE
SET owner_id = excluded.owner_id,
    fence = fence + 1,
    expires_at = excluded.expires_at,
    updated_at = excluded.updated_at
