SELECT o.rowid AS number, o.token, o.at, o.actor, o.action, o.puzzle_id, o.reason, o.detail
FROM operator_actions AS o
WHERE o.rowid < coalesce(?1, 9223372036854775807)
ORDER BY o.rowid DESC
LIMIT CAST(?2 AS INTEGER)
