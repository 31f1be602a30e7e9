UPDATE site_state
SET publish_late = CAST(?1 AS INTEGER),
    skip_older_than = CAST(?2 AS INTEGER)
WHERE id = 1
  AND EXISTS (SELECT 1 FROM operator_actions AS o WHERE o.token = ?3 AND o.landing = 1)
