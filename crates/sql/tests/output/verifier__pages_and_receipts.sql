SELECT 'page_does_not_fit_receipts' AS rule, 'puzzle ' || a.puzzle_id AS subject,
  'the page is at version ' || a.content_version || ', but has '
    || (SELECT count(*) FROM commit_receipts AS r WHERE r.puzzle_id = a.puzzle_id)
    || ' receipts, the newest of version ' || coalesce(newest.content_version, 'none')
    || CASE WHEN newest.commit_token IS a.commit_token THEN '' ELSE ' with another token' END AS detail
FROM answer_posts AS a
LEFT JOIN commit_receipts AS newest ON newest.puzzle_id = a.puzzle_id
  AND newest.revision = (SELECT max(r.revision) FROM commit_receipts AS r WHERE r.puzzle_id = a.puzzle_id)
WHERE newest.commit_token IS NOT a.commit_token
   OR newest.content_version IS NOT a.content_version
   OR a.content_version <> (SELECT count(*) FROM commit_receipts AS r WHERE r.puzzle_id = a.puzzle_id)
