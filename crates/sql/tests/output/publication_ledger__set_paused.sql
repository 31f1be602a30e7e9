UPDATE site_state
SET paused = CAST(?1 AS INTEGER)
WHERE id = 1
