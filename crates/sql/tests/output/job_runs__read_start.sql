SELECT started_at
FROM job_runs
WHERE run_id = ?1
