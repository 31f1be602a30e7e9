UPDATE alert_episodes
SET calm_since = CASE m.value ->> 'step' WHEN 'calm' THEN clock.now WHEN 'return' THEN NULL ELSE calm_since END,
    cleared_at = CASE m.value ->> 'step' WHEN 'clear' THEN clock.now END,
    cleared_by = CASE m.value ->> 'step' WHEN 'clear' THEN ?4 END
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
JOIN json_each(?2) AS m
WHERE alert_episodes.number = m.value ->> 'number'
  AND alert_episodes.cleared_at IS NULL
  AND alert_episodes.calm_since IS m.value ->> 'calm_since'
  AND clock.now <= ?3 + 60000
