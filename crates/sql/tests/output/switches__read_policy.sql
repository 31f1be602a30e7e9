SELECT s.publish_late, s.skip_older_than
FROM site_state AS s
WHERE s.id = 1
