INSERT INTO job_runs (run_id, job, owner_id, build, utc_day, started_at)
SELECT ?2, ?3, ?4, ?5, clock.now / 86400000, clock.now
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
WHERE true
ON CONFLICT (run_id) DO NOTHING
