INSERT INTO operator_actions (token, at, actor, action, puzzle_id, reason, detail, landing)
SELECT ?7, r.committed_at, ?8, ?9, r.puzzle_id, ?10,
  json_object('outcome', ?11, 'revision', r.revision, 'version', r.content_version), 0
FROM answer_posts AS a
JOIN commit_receipts AS r ON r.commit_token = a.commit_token
WHERE a.puzzle_id = ?2
  AND a.commit_token = ?7
