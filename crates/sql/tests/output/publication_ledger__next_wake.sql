SELECT clock.now,
  (SELECT i.due_at
   FROM publication_items AS i INDEXED BY publication_items_runnable
   WHERE i.state IN ('scheduled', 'processing')
     AND i.due_at BETWEEN (SELECT max(coalesce(clock.now - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE clock.now - clock.now % 86400000 END) FROM site_state AS policy WHERE policy.id = 1) AND clock.now
     AND (i.next_attempt_at <= clock.now OR i.next_attempt_at > clock.now + 3600000)
     AND coalesce((SELECT NOT (l.expires_at > clock.now AND l.expires_at <= clock.now + 900000) FROM job_leases AS l WHERE l.key = 'publication:' || i.puzzle_id), 1)
     AND (SELECT s.paused FROM site_state AS s WHERE s.id = 1) = 0
     AND coalesce((SELECT q.published < coalesce(q.set_quota, max(q.quota, ?2)) FROM daily_quotas AS q
                   WHERE q.utc_day = clock.now / 86400000), 0 < ?2)
   ORDER BY i.due_at
   LIMIT 1) AS overdue,
  (SELECT min(waiting.at) FROM (
     SELECT max(CASE WHEN (i.next_attempt_at <= clock.now OR i.next_attempt_at > clock.now + 3600000) THEN 0 ELSE i.next_attempt_at END, coalesce(
       (SELECT l.expires_at FROM job_leases AS l WHERE l.key = 'publication:' || i.puzzle_id AND l.expires_at > clock.now AND l.expires_at <= clock.now + 900000), 0)) AS at
     FROM publication_items AS i INDEXED BY publication_items_runnable
     WHERE i.state IN ('scheduled', 'processing')
       AND i.due_at BETWEEN (SELECT max(coalesce(clock.now - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE clock.now - clock.now % 86400000 END) FROM site_state AS policy WHERE policy.id = 1) AND clock.now
     UNION ALL
     SELECT * FROM (
       SELECT i.due_at AS at
       FROM publication_items AS i INDEXED BY publication_items_runnable
       WHERE i.state IN ('scheduled', 'processing')
         AND i.due_at > clock.now
       ORDER BY i.due_at
       LIMIT 1)) AS waiting
   WHERE waiting.at > clock.now) AS upcoming
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
