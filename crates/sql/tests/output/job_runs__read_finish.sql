SELECT r.finished_at, s.publication_revision
FROM job_runs AS r
JOIN site_state AS s ON s.id = 1
WHERE r.run_id = ?1
