SELECT clock.now, l.owner_id AS lease_owner_id, l.fence AS lease_fence_number, l.expires_at AS lease_expires_at, p.image_url, m.image_url AS photo_url, m.state AS photo_state, m.object_key AS photo_key, m.bytes AS photo_bytes, m.error AS photo_error
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
LEFT JOIN puzzles AS p ON p.puzzle_id = ?2
LEFT JOIN source_images AS m ON m.puzzle_id = ?2
LEFT JOIN job_leases AS l ON l.key = ?3
