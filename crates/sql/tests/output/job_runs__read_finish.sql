SELECT r.finished_at, s.publication_revision,
  (SELECT count(*)
   FROM publication_items AS i INDEXED BY publication_items_runnable
   WHERE i.state IN ('scheduled', 'processing')
     AND i.due_at BETWEEN (SELECT max(coalesce(r.finished_at - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE r.finished_at - r.finished_at % 86400000 END) FROM site_state AS policy WHERE policy.id = 1) AND r.finished_at
     AND (i.next_attempt_at <= r.finished_at OR i.next_attempt_at > r.finished_at + 3600000)
     AND coalesce((SELECT NOT (l.expires_at > r.finished_at AND l.expires_at <= r.finished_at + 900000) FROM job_leases AS l WHERE l.key = 'publication:' || i.puzzle_id), 1)) AS still_due
FROM job_runs AS r
JOIN site_state AS s ON s.id = 1
WHERE r.run_id = ?1
