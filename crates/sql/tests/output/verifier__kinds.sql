SELECT 'kind_out_of_order' AS rule,
  'puzzle ' || r.puzzle_id AS subject,
  'version ' || r.content_version || ' is of kind ' || r.kind || ', after one of kind ' || earlier.kind AS detail,
  json_array(json_array('commit_receipts', earlier.commit_token), json_array('commit_receipts', r.commit_token)) AS concerned
FROM commit_receipts AS r
JOIN commit_receipts AS earlier ON earlier.puzzle_id = r.puzzle_id
  AND earlier.content_version = r.content_version - 1
WHERE (earlier.kind = 'withdraw' AND r.kind IN ('update', 'withdraw'))
   OR (earlier.kind <> 'withdraw' AND r.kind = 'reinstate')
