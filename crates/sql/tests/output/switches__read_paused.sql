SELECT paused
FROM site_state
WHERE id = 1
