SELECT 'outbox_cursor_ahead' AS rule,
  'site' AS subject,
  'the outbox has looked at receipts up to revision ' || c.revision || ', and the site is at revision '
    || s.publication_revision AS detail,
  json_array(json_array('outbox_cursor', c.id), json_array('site_state', s.id)) AS concerned
FROM outbox_cursor AS c
JOIN site_state AS s ON c.revision > s.publication_revision
