SELECT r.rowid AS number, r.run_id, r.job, r.owner_id, r.build, r.utc_day, r.started_at, r.finished_at, r.counts, r.error
FROM job_runs AS r
WHERE r.owner_id IN (SELECT wanted.value FROM json_each(?1) AS wanted)
