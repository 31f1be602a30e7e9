INSERT INTO operator_actions (token, at, actor, action, puzzle_id, reason, detail, landing)
SELECT e.edit_token, e.edited_at, ?2, ?3, p.puzzle_id, ?4,
  CASE WHEN p.puzzle_id IS NULL
       THEN json_object('inserted', e.inserted, 'unchanged', e.unchanged, 'updated', e.updated)
       ELSE json_object('bank_version', p.bank_version) END, 0
FROM bank_edits AS e
LEFT JOIN puzzles AS p ON p.puzzle_id = ?5
WHERE e.edit_token = ?1
  AND e.inserted + e.updated > 0
