SELECT 'event_not_of_alert' AS rule,
  'event ' || o.event_id AS subject,
  CASE WHEN v.number IS NULL THEN 'there is no alert ' || coalesce(o.episode, 'at all')
    ELSE 'alert ' || v.number || ' was raised at ' || v.raised_at || ', and cleared at ' || coalesce(v.cleared_at, 'no time') END AS detail,
  json_array(json_array('outbox', o.number), json_array('alert_episodes', v.number)) AS concerned
FROM outbox AS o
LEFT JOIN alert_episodes AS v ON v.number = o.episode
WHERE o.kind = 'alert_raised' AND (o.event_id, o.happened_at) IS NOT ('alert-' || v.number || '-raised', v.raised_at)
   OR o.kind = 'alert_cleared' AND (o.event_id, o.happened_at) IS NOT ('alert-' || v.number || '-cleared', v.cleared_at)
