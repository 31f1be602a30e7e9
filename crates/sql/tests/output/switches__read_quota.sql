SELECT q.published AS quota_published, q.quota AS quota_limit, q.set_quota AS quota_set
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
JOIN daily_quotas AS q ON q.utc_day = clock.now / 86400000
