SELECT 'event_ahead_of_cursor' AS rule,
  'event ' || o.event_id AS subject,
  'it is of revision ' || o.revision || ', and the outbox has looked at receipts up to '
    || coalesce(c.revision, 'none') AS detail,
  json_array(json_array('outbox', o.number), json_array('outbox_cursor', c.id)) AS concerned
FROM outbox AS o
LEFT JOIN outbox_cursor AS c ON c.id = 1
WHERE o.revision > coalesce(c.revision, -1)
