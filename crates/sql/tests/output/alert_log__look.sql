SELECT clock.now, s.paused, q.published AS quota_published, q.quota AS quota_limit, q.set_quota AS quota_set, work.outstanding, work.outstanding_since,
  late.left_alone, late.left_alone_since,
  EXISTS (SELECT 1 FROM publication_items AS i INDEXED BY publication_items_runnable WHERE i.state IN ('scheduled', 'processing') AND i.due_at <= 9223372036854775807) AS has_work,
  (SELECT count(*)
   FROM publication_items AS i
   WHERE i.state = 'blocked'
     AND i.due_at <= 9223372036854775807) AS blocked,
  (SELECT max(r.rowid) FROM job_runs AS r) IS NOT NULL AS has_run,
  (SELECT json_group_array(json_object('job', r.job, 'ended_at', r.finished_at,
     'unknown', coalesce(r.counts ->> 'unknown', 0)))
   FROM (SELECT column1 AS job FROM (VALUES ('compensate'), ('publish'))) AS jobs
   JOIN job_runs AS r ON r.run_id = (SELECT newest.run_id FROM job_runs AS newest
                                     WHERE newest.job = jobs.job
                                       AND newest.finished_at IS NOT NULL
                                     ORDER BY newest.rowid DESC
                                     LIMIT 1)) AS heartbeats,
  (SELECT min(column1)
   FROM (VALUES
     ((SELECT e.edited_at FROM bank_edits AS e WHERE e.rowid = (SELECT min(rowid) FROM bank_edits))),
     ((SELECT r.started_at FROM job_runs AS r WHERE r.rowid = (SELECT min(rowid) FROM job_runs))),
     ((SELECT c.committed_at FROM commit_receipts AS c
       WHERE c.revision = (SELECT min(revision) FROM commit_receipts))))) AS known_since,
  (SELECT json_group_array(json_object('number', v.number, 'kind', v.kind, 'job', v.job,
     'calm_since', v.calm_since))
   FROM alert_episodes AS v
   WHERE v.cleared_at IS NULL
     AND v.kind > '') AS open_episodes
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
JOIN (SELECT count(*) AS outstanding, min(i.due_at) AS outstanding_since
      FROM publication_items AS i INDEXED BY publication_items_runnable
      WHERE i.state IN ('scheduled', 'processing')
        AND i.due_at BETWEEN (SELECT max(coalesce((CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) % 86400000 END) FROM site_state AS policy WHERE policy.id = 1) AND (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END)) AS work
JOIN (SELECT count(*) AS left_alone, min(i.due_at) AS left_alone_since
      FROM publication_items AS i INDEXED BY publication_items_runnable
      WHERE i.state IN ('scheduled', 'processing')
        AND i.due_at < (SELECT max(coalesce((CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) % 86400000 END) FROM site_state AS policy WHERE policy.id = 1)) AS late
JOIN site_state AS s ON s.id = 1
LEFT JOIN daily_quotas AS q ON q.utc_day = clock.now / 86400000
