UPDATE outbox_cursor
SET revision = s.publication_revision
FROM site_state AS s
WHERE outbox_cursor.id = 1
  AND s.id = 1
  AND outbox_cursor.revision < s.publication_revision
