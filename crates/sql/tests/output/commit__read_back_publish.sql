SELECT
  json_extract('{}', CASE
    WHEN (EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?2 AND a.commit_token = ?7) = EXISTS (SELECT 1 FROM commit_receipts AS r WHERE r.commit_token = ?7)) IS NOT TRUE
      THEN 'assertion failed: token and receipt are not together'
    WHEN (coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = ?2), 0) = coalesce((SELECT max(r.content_version) FROM commit_receipts AS r WHERE r.puzzle_id = ?2), 0)) IS NOT TRUE
      THEN 'assertion failed: the version is not that of the newest receipt'
    WHEN ((SELECT s.publication_revision FROM site_state AS s WHERE s.id = 1) = coalesce((SELECT max(r.revision) FROM commit_receipts AS r), 0)) IS NOT TRUE
      THEN 'assertion failed: the revision is not that of the newest receipt'
    WHEN (coalesce((SELECT CASE WHEN a.puzzle_id IS NULL THEN i.state <> 'published' WHEN a.withdrawn_at IS NULL THEN i.state = 'published' ELSE i.state = 'withdrawn' END FROM publication_items AS i LEFT JOIN answer_posts AS a ON a.puzzle_id = i.puzzle_id WHERE i.puzzle_id = ?2), NOT EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?2))) IS NOT TRUE
      THEN 'assertion failed: the state of the item does not fit the page'
    ELSE '$' END) AS assertion,
  EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?2 AND a.commit_token = ?7) AS landed,
  coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = ?2), 0) AS row_version,
  (SELECT s.publication_revision FROM site_state AS s WHERE s.id = 1) AS publication_revision,
  (SELECT a.updated_at FROM answer_posts AS a WHERE a.puzzle_id = ?2 AND a.commit_token = ?7) AS committed_at,
  ((SELECT l.owner_id FROM job_leases AS l WHERE l.key = ?3) = ?4) IS TRUE AS 'lease_owner',
  ((SELECT l.fence FROM job_leases AS l WHERE l.key = ?3) = ?5) IS TRUE AS 'lease_fence',
  ((SELECT l.expires_at > clock.now AND l.expires_at <= clock.now + 900000 FROM job_leases AS l WHERE l.key = ?3)) IS TRUE AS 'lease_live',
  (coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = ?2), 0) = ?6) IS TRUE AS 'content_version',
  ((SELECT i.state FROM publication_items AS i WHERE i.puzzle_id = ?2) = ?8) IS TRUE AS 'item_state',
  ((SELECT i.due_at FROM publication_items AS i WHERE i.puzzle_id = ?2) <= clock.now) IS TRUE AS 'item_due',
  ((?13 OR (SELECT i.due_at FROM publication_items AS i WHERE i.puzzle_id = ?2) >= (SELECT max(coalesce(clock.now - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE clock.now - clock.now % 86400000 END) FROM site_state AS policy WHERE policy.id = 1))) IS TRUE AS 'not_too_late',
  ((SELECT p.bank_version FROM puzzles AS p WHERE p.puzzle_id = ?2) = ?9) IS TRUE AS 'bank_version',
  ((SELECT CASE WHEN p.image_url IS NULL THEN ?10 IS NULL ELSE s.state = 'ready' AND s.image_url = p.image_url AND s.object_key = ?10 END FROM puzzles AS p LEFT JOIN source_images AS s ON s.puzzle_id = p.puzzle_id WHERE p.puzzle_id = ?2)) IS TRUE AS 'image_ready',
  (coalesce((SELECT q.published < coalesce(q.set_quota, max(q.quota, ?12)) FROM daily_quotas AS q WHERE q.utc_day = clock.now / 86400000), 0 < ?12)) IS TRUE AS 'quota_left',
  ((SELECT s.paused FROM site_state AS s WHERE s.id = 1) = 0) IS TRUE AS 'not_paused'
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
