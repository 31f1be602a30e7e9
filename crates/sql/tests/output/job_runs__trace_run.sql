INSERT INTO operator_actions (token, at, actor, action, puzzle_id, reason, detail, landing)
SELECT r.run_id, r.started_at, ?2, ?3, NULL, ?4, json_object('job', r.job), 0
FROM job_runs AS r
WHERE r.run_id = ?1
ON CONFLICT (token) DO NOTHING
