INSERT INTO alert_episodes (kind, job, since, count, meaning, remedy, raised_at, raised_by)
SELECT m.value ->> 'kind', m.value ->> 'job', m.value ->> 'since', m.value ->> 'count',
  m.value ->> 'meaning', m.value ->> 'remedy', clock.now, ?4
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
JOIN json_each(?2) AS m
WHERE clock.now <= ?3 + 60000
ON CONFLICT DO NOTHING
