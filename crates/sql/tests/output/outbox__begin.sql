INSERT INTO outbox_cursor (id, revision)
SELECT 1, s.publication_revision
FROM site_state AS s
WHERE s.id = 1
ON CONFLICT (id) DO NOTHING
