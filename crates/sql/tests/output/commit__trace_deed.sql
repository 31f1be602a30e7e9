INSERT INTO operator_actions (token, at, actor, action, puzzle_id, reason, detail, landing)
SELECT ?2, r.committed_at, ?3, ?4, r.puzzle_id, ?5,
  json_object('outcome', ?6, 'revision', r.revision, 'version', r.content_version), 0
FROM answer_posts AS a
JOIN commit_receipts AS r ON r.commit_token = a.commit_token
WHERE a.puzzle_id = ?1
  AND a.commit_token = ?2
