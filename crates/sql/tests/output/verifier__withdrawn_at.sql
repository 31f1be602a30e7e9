SELECT 'withdrawn_at_does_not_fit_receipt' AS rule,
  'puzzle ' || a.puzzle_id AS subject,
  'withdrawn_at is ' || coalesce(a.withdrawn_at, 'empty') || ', and the newest receipt is of kind '
    || newest.kind || ' and of ' || newest.committed_at AS detail,
  json_array(json_array('answer_posts', a.puzzle_id), json_array('commit_receipts', newest.commit_token)) AS concerned
FROM answer_posts AS a
JOIN commit_receipts AS newest ON newest.puzzle_id = a.puzzle_id
  AND newest.content_version = (SELECT max(r.content_version) FROM commit_receipts AS r WHERE r.puzzle_id = a.puzzle_id)
WHERE a.withdrawn_at IS NOT CASE newest.kind WHEN 'withdraw' THEN newest.committed_at END
