SELECT o.number, o.state, o.attempts, o.created_at, o.next_attempt_at, o.last_error, o.delivered_at, o.event_id, o.kind, o.puzzle_id, o.content_version, o.revision, o.happened_at, v.number AS episode_number, v.kind AS alert_kind, v.job AS alert_job, v.since AS alert_since, v.count AS alert_count, v.meaning AS alert_meaning, v.remedy AS alert_remedy, v.raised_at AS alert_raised_at
FROM outbox AS o
LEFT JOIN alert_episodes AS v ON v.number = o.episode
WHERE o.event_id = ?1
