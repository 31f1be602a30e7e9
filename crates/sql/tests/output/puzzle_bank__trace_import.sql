INSERT INTO operator_actions (token, at, actor, action, puzzle_id, reason, detail, landing)
SELECT e.edit_token, e.edited_at, ?2, ?3, NULL, ?4,
  json_object('inserted', e.inserted, 'unchanged', e.unchanged, 'updated', e.updated), 0
FROM bank_edits AS e
WHERE e.edit_token = ?1
  AND e.inserted + e.updated > 0
