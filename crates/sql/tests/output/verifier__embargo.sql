SELECT 'published_early' AS rule,
  'puzzle ' || r.puzzle_id AS subject,
  'the page was published at ' || r.committed_at || ', due at ' || i.due_at AS detail,
  json_array(json_array('commit_receipts', r.commit_token), json_array('publication_items', i.puzzle_id)) AS concerned
FROM commit_receipts AS r
JOIN publication_items AS i ON i.puzzle_id = r.puzzle_id
WHERE r.kind = 'publish'
  AND r.committed_at < i.due_at
