INSERT INTO operator_actions (token, at, actor, action, puzzle_id, reason, detail, landing)
SELECT ?2, r.committed_at, ?3, ?4, r.puzzle_id, ?5,
  json_object('outcome', ?6, 'revision', r.revision, 'version', r.content_version), 0
FROM commit_receipts AS r
WHERE r.puzzle_id = ?1
  AND r.commit_token = ?2
