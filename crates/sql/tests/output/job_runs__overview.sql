SELECT clock.now, s.publication_revision, s.bank_revision, s.paused, q.published AS quota_published, q.quota AS quota_limit, q.set_quota AS quota_set, s.publish_late, s.skip_older_than,
  items.scheduled, items.overdue, items.outstanding, items.outstanding_since, items.left_alone, items.left_alone_since, items.processing, items.blocked, items.published, items.withdrawn,
  (SELECT json_group_array(json_object('run_id', r.run_id, 'job', r.job, 'owner_id', r.owner_id,
     'build', r.build, 'utc_day', r.utc_day, 'started_at', r.started_at, 'finished_at', r.finished_at,
     'counts', json(r.counts), 'error', r.error))
   FROM (SELECT column1 AS job FROM (VALUES ('compensate'), ('publish'))) AS jobs
   JOIN job_runs AS r ON r.run_id = (SELECT newest.run_id FROM job_runs AS newest
                                     WHERE newest.job = jobs.job
                                     ORDER BY newest.rowid DESC
                                     LIMIT 1)) AS last_runs,
  (SELECT json_group_array(json_object('job', r.job, 'ended_at', r.finished_at,
     'unknown', coalesce(r.counts ->> 'unknown', 0)))
   FROM (SELECT column1 AS job FROM (VALUES ('compensate'), ('publish'))) AS jobs
   JOIN job_runs AS r ON r.run_id = (SELECT newest.run_id FROM job_runs AS newest
                                     WHERE newest.job = jobs.job
                                       AND newest.finished_at IS NOT NULL
                                     ORDER BY newest.rowid DESC
                                     LIMIT 1)) AS heartbeats,
  (SELECT json_group_array(json_object('job', b.job, 'build', b.build, 'ran_at', b.ran_at))
   FROM (SELECT r.job, r.build, max(r.started_at) AS ran_at
         FROM (SELECT * FROM job_runs ORDER BY rowid DESC LIMIT 100) AS r
         WHERE r.started_at > (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - 86400000
         GROUP BY r.job, r.build
         ORDER BY r.job, ran_at DESC, r.build) AS b) AS recent_builds,
  (SELECT min(column1)
   FROM (VALUES
     ((SELECT e.edited_at FROM bank_edits AS e WHERE e.rowid = (SELECT min(rowid) FROM bank_edits))),
     ((SELECT r.started_at FROM job_runs AS r WHERE r.rowid = (SELECT min(rowid) FROM job_runs))),
     ((SELECT c.committed_at FROM commit_receipts AS c
       WHERE c.revision = (SELECT min(revision) FROM commit_receipts))))) AS known_since,
  (SELECT json_group_array(json_object('key', l.key, 'owner_id', l.owner_id, 'fence', l.fence,
     'held_since', l.updated_at, 'expires_at', l.expires_at))
   FROM (SELECT * FROM job_leases AS l WHERE l.expires_at > (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) AND l.expires_at <= (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) + 900000 ORDER BY l.key) AS l) AS leases
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
JOIN (SELECT
        count(*) FILTER (WHERE i.state = 'scheduled') AS scheduled,
        count(*) FILTER (WHERE i.state IN ('scheduled', 'processing', 'blocked') AND i.due_at <= (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END)) AS overdue,
        count(*) FILTER (WHERE i.state IN ('scheduled', 'processing') AND i.due_at BETWEEN (SELECT max(coalesce((CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) % 86400000 END) FROM site_state AS policy WHERE policy.id = 1) AND (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END)) AS outstanding,
        min(i.due_at) FILTER (WHERE i.state IN ('scheduled', 'processing') AND i.due_at BETWEEN (SELECT max(coalesce((CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) % 86400000 END) FROM site_state AS policy WHERE policy.id = 1) AND (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END)) AS outstanding_since,
        count(*) FILTER (WHERE i.state IN ('scheduled', 'processing') AND i.due_at < (SELECT max(coalesce((CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) % 86400000 END) FROM site_state AS policy WHERE policy.id = 1)) AS left_alone,
        min(i.due_at) FILTER (WHERE i.state IN ('scheduled', 'processing') AND i.due_at < (SELECT max(coalesce((CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) % 86400000 END) FROM site_state AS policy WHERE policy.id = 1)) AS left_alone_since,
        count(*) FILTER (WHERE i.state = 'processing') AS processing,
        count(*) FILTER (WHERE i.state = 'blocked') AS blocked,
        count(*) FILTER (WHERE i.state = 'published') AS published,
        count(*) FILTER (WHERE i.state = 'withdrawn') AS withdrawn
      FROM publication_items AS i) AS items
JOIN site_state AS s ON s.id = 1
LEFT JOIN daily_quotas AS q ON q.utc_day = clock.now / 86400000
