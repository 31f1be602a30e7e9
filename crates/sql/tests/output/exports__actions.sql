SELECT o.rowid AS number, o.token, o.at, o.actor, o.action, o.puzzle_id, o.reason, o.detail
FROM operator_actions AS o
WHERE o.rowid > CAST(?1 AS INTEGER)
ORDER BY o.rowid
LIMIT CAST(?2 AS INTEGER)
