INSERT INTO answer_posts (puzzle_id, content_version, commit_token, updated_at, bank_version, play_date, name, price_cents, body_html, image_key, indexable, published_at)
SELECT $2, CAST($6 AS INTEGER) + 1, $7, clock.now, CAST($9 AS INTEGER), $14, $15, CAST($16 AS INTEGER), $17, $10, CAST($11 AS INTEGER), clock.now
FROM (SELECT CASE typeof($1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST($1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST($1 AS INTEGER) END AS now) AS clock
WHERE ((SELECT l.owner_id FROM job_leases AS l WHERE l.key = $3) = $4)
  AND ((SELECT l.fence FROM job_leases AS l WHERE l.key = $3) = $5)
  AND ((SELECT l.expires_at > clock.now AND l.expires_at <= clock.now + 900000 FROM job_leases AS l WHERE l.key = $3))
  AND (coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = $2), 0) = $6)
  AND ((SELECT i.state FROM publication_items AS i WHERE i.puzzle_id = $2) = $8)
  AND ((SELECT i.due_at FROM publication_items AS i WHERE i.puzzle_id = $2) <= clock.now)
  AND (($13 OR (SELECT i.due_at FROM publication_items AS i WHERE i.puzzle_id = $2) >= (SELECT max(coalesce(clock.now - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE clock.now - clock.now % 86400000 END) FROM site_state AS policy WHERE policy.id = 1)))
  AND ((SELECT p.bank_version FROM puzzles AS p WHERE p.puzzle_id = $2) = $9)
  AND ((SELECT CASE WHEN p.image_url IS NULL THEN $10 IS NULL ELSE s.state = 'ready' AND s.image_url = p.image_url AND s.object_key = $10 END FROM puzzles AS p LEFT JOIN source_images AS s ON s.puzzle_id = p.puzzle_id WHERE p.puzzle_id = $2))
  AND (coalesce((SELECT q.published < coalesce(q.set_quota, max(q.quota, $12)) FROM daily_quotas AS q WHERE q.utc_day = clock.now / 86400000), 0 < $12))
  AND ((SELECT s.paused FROM site_state AS s WHERE s.id = 1) = 0);
UPDATE publication_items
SET state = $20
WHERE (puzzle_id = $18)
  AND EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = $18 AND a.commit_token = $19);
UPDATE site_state
SET publication_revision = publication_revision + 1
WHERE (id = 1)
  AND EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = $21 AND a.commit_token = $22);
INSERT INTO commit_receipts (commit_token, puzzle_id, kind, owner_id, fence, content_version, revision, committed_at)
SELECT $24, a.puzzle_id, $25, $26, CAST($27 AS INTEGER), a.content_version, s.publication_revision, a.updated_at
FROM answer_posts AS a
JOIN site_state AS s ON s.id = 1
WHERE a.puzzle_id = $23
  AND a.commit_token = $24;
INSERT INTO daily_quotas (utc_day, published, quota)
SELECT a.updated_at / 86400000, 1, CAST($30 AS INTEGER)
FROM answer_posts AS a
WHERE a.puzzle_id = $28
  AND a.commit_token = $29
ON CONFLICT (utc_day) DO UPDATE
SET published = published + 1,
    quota = max(quota, CASE WHEN set_quota IS NULL THEN excluded.quota ELSE published + 1 END);
INSERT INTO operator_actions (token, at, actor, action, puzzle_id, reason, detail, landing)
SELECT $32, r.committed_at, $33, $34, r.puzzle_id, $35,
  json_object('outcome', $36, 'revision', r.revision, 'version', r.content_version), 0
FROM answer_posts AS a
JOIN commit_receipts AS r ON r.commit_token = a.commit_token
WHERE a.puzzle_id = $31
  AND a.commit_token = $32;
UPDATE job_leases
SET expires_at = 0,
    updated_at = (SELECT a.updated_at FROM answer_posts AS a WHERE a.puzzle_id = $37)
WHERE (key = $39 AND owner_id = $40 AND fence = $41)
  AND EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = $37 AND a.commit_token = $38);
SELECT
  json_extract('{}', CASE
    WHEN (EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = $43 AND a.commit_token = $48) = EXISTS (SELECT 1 FROM commit_receipts AS r WHERE r.commit_token = $48)) IS NOT TRUE
      THEN 'assertion failed: token and receipt are not together'
    WHEN (coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = $43), 0) = coalesce((SELECT max(r.content_version) FROM commit_receipts AS r WHERE r.puzzle_id = $43), 0)) IS NOT TRUE
      THEN 'assertion failed: the version is not that of the newest receipt'
    WHEN ((SELECT s.publication_revision FROM site_state AS s WHERE s.id = 1) = coalesce((SELECT max(r.revision) FROM commit_receipts AS r), 0)) IS NOT TRUE
      THEN 'assertion failed: the revision is not that of the newest receipt'
    WHEN (coalesce((SELECT CASE WHEN a.puzzle_id IS NULL THEN i.state <> 'published' WHEN a.withdrawn_at IS NULL THEN i.state = 'published' ELSE i.state = 'withdrawn' END FROM publication_items AS i LEFT JOIN answer_posts AS a ON a.puzzle_id = i.puzzle_id WHERE i.puzzle_id = $43), NOT EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = $43))) IS NOT TRUE
      THEN 'assertion failed: the state of the item does not fit the page'
    ELSE '$' END) AS assertion,
  EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = $43 AND a.commit_token = $48) AS landed,
  coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = $43), 0) AS row_version,
  (SELECT s.publication_revision FROM site_state AS s WHERE s.id = 1) AS publication_revision,
  (SELECT a.updated_at FROM answer_posts AS a WHERE a.puzzle_id = $43 AND a.commit_token = $48) AS committed_at,
  ((SELECT l.owner_id FROM job_leases AS l WHERE l.key = $44) = $45) IS TRUE AS lease_owner,
  ((SELECT l.fence FROM job_leases AS l WHERE l.key = $44) = $46) IS TRUE AS lease_fence,
  ((SELECT l.expires_at > clock.now AND l.expires_at <= clock.now + 900000 FROM job_leases AS l WHERE l.key = $44)) IS TRUE AS lease_live,
  (coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = $43), 0) = $47) IS TRUE AS content_version,
  ((SELECT i.state FROM publication_items AS i WHERE i.puzzle_id = $43) = $49) IS TRUE AS item_state,
  ((SELECT i.due_at FROM publication_items AS i WHERE i.puzzle_id = $43) <= clock.now) IS TRUE AS item_due,
  (($54 OR (SELECT i.due_at FROM publication_items AS i WHERE i.puzzle_id = $43) >= (SELECT max(coalesce(clock.now - policy.skip_older_than, 0), CASE policy.publish_late WHEN 1 THEN 0 ELSE clock.now - clock.now % 86400000 END) FROM site_state AS policy WHERE policy.id = 1))) IS TRUE AS not_too_late,
  ((SELECT p.bank_version FROM puzzles AS p WHERE p.puzzle_id = $43) = $50) IS TRUE AS bank_version,
  ((SELECT CASE WHEN p.image_url IS NULL THEN $51 IS NULL ELSE s.state = 'ready' AND s.image_url = p.image_url AND s.object_key = $51 END FROM puzzles AS p LEFT JOIN source_images AS s ON s.puzzle_id = p.puzzle_id WHERE p.puzzle_id = $43)) IS TRUE AS image_ready,
  (coalesce((SELECT q.published < coalesce(q.set_quota, max(q.quota, $53)) FROM daily_quotas AS q WHERE q.utc_day = clock.now / 86400000), 0 < $53)) IS TRUE AS quota_left,
  ((SELECT s.paused FROM site_state AS s WHERE s.id = 1) = 0) IS TRUE AS not_paused
FROM (SELECT CASE typeof($42) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST($42 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST($42 AS INTEGER) END AS now) AS clock
