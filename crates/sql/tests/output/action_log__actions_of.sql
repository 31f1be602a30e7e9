SELECT o.rowid AS number, o.token, o.at, o.actor, o.action, o.puzzle_id, o.reason, o.detail
FROM operator_actions AS o
WHERE o.puzzle_id = ?1
ORDER BY o.rowid
