SELECT r.rowid AS number, r.run_id, r.job, r.owner_id, r.build, r.utc_day, r.started_at, r.finished_at, r.counts, r.error
FROM job_runs AS r
WHERE r.rowid < coalesce(?1, 9223372036854775807)
ORDER BY r.rowid DESC
LIMIT CAST(?2 AS INTEGER)
