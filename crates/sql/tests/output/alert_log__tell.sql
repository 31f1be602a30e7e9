INSERT INTO outbox (event_id, kind, episode, happened_at, created_at, next_attempt_at)
SELECT 'alert-' || v.number || '-raised', 'alert_raised', v.number, v.raised_at, v.raised_at, v.raised_at
FROM alert_episodes AS v
WHERE v.raised_by = ?1
  AND 'alert_raised' IN (SELECT value FROM json_each(?2))
UNION ALL
SELECT 'alert-' || v.number || '-cleared', 'alert_cleared', v.number, v.cleared_at, v.cleared_at, v.cleared_at
FROM alert_episodes AS v
WHERE v.cleared_by = ?1
  AND 'alert_cleared' IN (SELECT value FROM json_each(?2))
ON CONFLICT DO NOTHING
