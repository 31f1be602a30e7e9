SELECT clock.now, o.attempts, o.event_id, o.kind, o.puzzle_id, o.content_version, o.revision, o.happened_at, v.number AS episode_number, v.kind AS alert_kind, v.job AS alert_job, v.since AS alert_since, v.count AS alert_count, v.meaning AS alert_meaning, v.remedy AS alert_remedy, v.raised_at AS alert_raised_at
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
JOIN outbox AS o ON o.claimed_by = ?2
  AND o.claimed_until > clock.now
LEFT JOIN alert_episodes AS v ON v.number = o.episode
