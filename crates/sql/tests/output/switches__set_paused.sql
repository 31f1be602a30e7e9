UPDATE site_state
SET paused = CAST(?1 AS INTEGER)
WHERE id = 1
  AND EXISTS (SELECT 1 FROM operator_actions AS o WHERE o.token = ?2 AND o.landing = 1)
