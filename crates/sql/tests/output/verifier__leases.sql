SELECT 'lease_fence_fell' AS rule,
  'puzzle ' || r.puzzle_id AS subject,
  'the lease is at fence ' || coalesce(l.fence, 'none') || ', but a receipt has fence ' || max(r.fence) AS detail,
  json_array(json_array('job_leases', 'publication:' || r.puzzle_id), json_array('commit_receipts', r.commit_token)) AS concerned
FROM commit_receipts AS r
LEFT JOIN job_leases AS l ON l.key = 'publication:' || r.puzzle_id
GROUP BY r.puzzle_id
HAVING l.fence IS NULL OR l.fence < max(r.fence)
