SELECT 'event_not_of_receipt' AS rule,
  'event ' || o.event_id AS subject,
  CASE WHEN r.revision IS NULL THEN 'there is no receipt of revision ' || coalesce(o.revision, 'none')
    ELSE 'the receipt of revision ' || r.revision || ' tells of something else: ' || r.kind || ' of puzzle ' || r.puzzle_id
    || ', version ' || r.content_version || ', at ' || r.committed_at END AS detail,
  json_array(json_array('outbox', o.number), json_array('commit_receipts', r.commit_token)) AS concerned
FROM outbox AS o
LEFT JOIN commit_receipts AS r ON r.revision = o.revision
WHERE o.kind IN ('published', 'updated', 'withdrawn', 'reinstated')
  AND (o.event_id, o.kind, o.puzzle_id, o.content_version, o.happened_at) IS NOT
      (r.kind || '-' || r.puzzle_id || '-v' || r.content_version, CASE r.kind WHEN 'publish' THEN 'published' WHEN 'update' THEN 'updated' WHEN 'withdraw' THEN 'withdrawn' WHEN 'reinstate' THEN 'reinstated' END, r.puzzle_id, r.content_version, r.committed_at)
