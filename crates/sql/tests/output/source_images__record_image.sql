INSERT INTO source_images (puzzle_id, image_url, state, object_key, content_type, bytes, error,
  next_attempt_at, updated_at)
SELECT p.puzzle_id, p.image_url, ?7, ?8, ?9, CAST(?10 AS INTEGER), ?11,
  coalesce(clock.now + CAST(?12 AS INTEGER), 0), clock.now
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
JOIN puzzles AS p ON p.puzzle_id = ?2
JOIN job_leases AS l ON l.key = ?3
WHERE p.image_url = ?6
  AND l.owner_id = ?4
  AND l.fence = ?5
ON CONFLICT (puzzle_id) DO UPDATE
SET image_url = excluded.image_url,
    state = excluded.state,
    object_key = excluded.object_key,
    content_type = excluded.content_type,
    bytes = excluded.bytes,
    error = excluded.error,
    next_attempt_at = excluded.next_attempt_at,
    updated_at = excluded.updated_at
