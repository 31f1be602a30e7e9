SELECT c.revision
FROM outbox_cursor AS c
WHERE c.id = 1
