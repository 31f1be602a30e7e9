UPDATE job_runs
SET finished_at = clock.now,
    counts = ?3,
    error = ?4
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
WHERE job_runs.run_id = ?2
