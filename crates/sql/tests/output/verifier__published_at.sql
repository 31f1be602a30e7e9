SELECT 'published_at_does_not_fit_receipt' AS rule,
  'puzzle ' || a.puzzle_id AS subject,
  'published_at is ' || a.published_at || ', and the first receipt of ' || r.committed_at AS detail,
  json_array(json_array('answer_posts', a.puzzle_id), json_array('commit_receipts', r.commit_token)) AS concerned
FROM answer_posts AS a
JOIN commit_receipts AS r ON r.puzzle_id = a.puzzle_id AND r.content_version = 1
WHERE a.published_at <> r.committed_at
