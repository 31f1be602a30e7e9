SELECT 'page_does_not_fit_receipts' AS rule,
  'puzzle ' || a.puzzle_id AS subject,
  'the page is at version ' || a.content_version || ', its newest receipt of version '
    || coalesce(newest.content_version, 'none')
    || CASE WHEN newest.commit_token IS a.commit_token THEN '' ELSE ' with another token' END AS detail,
  json_array(json_array('answer_posts', a.puzzle_id), json_array('commit_receipts', newest.commit_token)) AS concerned
FROM answer_posts AS a
LEFT JOIN commit_receipts AS newest ON newest.puzzle_id = a.puzzle_id
  AND newest.content_version = (SELECT max(r.content_version) FROM commit_receipts AS r WHERE r.puzzle_id = a.puzzle_id)
WHERE newest.commit_token IS NOT a.commit_token
   OR newest.content_version IS NOT a.content_version
