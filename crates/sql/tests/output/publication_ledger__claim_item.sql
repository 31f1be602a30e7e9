INSERT INTO job_leases (key, owner_id, fence, expires_at, updated_at)
SELECT ?2, ?3, 1, clock.now + CAST(?4 AS INTEGER), clock.now
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
WHERE EXISTS (SELECT 1 FROM publication_items AS i
              WHERE i.puzzle_id = ?5
                AND i.state IN ('scheduled', 'processing')
                AND i.due_at <= clock.now
                AND (?6 OR i.due_at >= (SELECT max(coalesce(clock.now - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE clock.now - clock.now % 86400000 END) FROM site_state AS policy WHERE policy.id = 1))
                AND (i.next_attempt_at <= clock.now OR i.next_attempt_at > clock.now + 3600000))
ON CONFLICT (key) DO UPDATE
SET owner_id = excluded.owner_id,
    fence = CASE WHEN job_leases.expires_at > excluded.updated_at AND job_leases.expires_at <= excluded.updated_at + 900000 THEN fence ELSE fence + 1 END,
    expires_at = excluded.expires_at,
    updated_at = excluded.updated_at
WHERE job_leases.owner_id = excluded.owner_id
   OR NOT (job_leases.expires_at > excluded.updated_at AND job_leases.expires_at <= excluded.updated_at + 900000)
