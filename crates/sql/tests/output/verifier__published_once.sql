SELECT 'published_not_once' AS rule,
  'puzzle ' || r.puzzle_id AS subject,
  'the receipt of version ' || r.content_version || ' is of kind ' || r.kind AS detail,
  json_array(json_array('commit_receipts', r.commit_token)) AS concerned
FROM commit_receipts AS r
WHERE (r.kind = 'publish') <> (r.content_version = 1)
