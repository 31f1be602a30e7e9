SELECT 'updated_at_does_not_fit_receipt' AS rule,
  'puzzle ' || a.puzzle_id AS subject,
  'updated_at is ' || a.updated_at || ', and the newest receipt of ' || newest.committed_at AS detail,
  json_array(json_array('answer_posts', a.puzzle_id), json_array('commit_receipts', newest.commit_token)) AS concerned
FROM answer_posts AS a
JOIN commit_receipts AS newest ON newest.puzzle_id = a.puzzle_id
  AND newest.content_version = (SELECT max(r.content_version) FROM commit_receipts AS r WHERE r.puzzle_id = a.puzzle_id)
WHERE a.updated_at <> newest.committed_at
