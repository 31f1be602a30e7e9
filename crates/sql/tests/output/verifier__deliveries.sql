SELECT 'delivery_does_not_fit' AS rule,
  'event ' || o.event_id AS subject,
  'it is ' || o.state || ', was delivered at ' || coalesce(o.delivered_at, 'no time')
    || ', and is in the hands of ' || coalesce(o.claimed_by, 'nobody') AS detail,
  json_array(json_array('outbox', o.number)) AS concerned
FROM outbox AS o
WHERE (o.state = 'delivered') <> (o.delivered_at IS NOT NULL)
   OR (o.state <> 'pending' AND o.claimed_by IS NOT NULL)
