INSERT INTO daily_quotas (utc_day, published, quota)
SELECT clock.now / 86400000, CAST(?2 AS INTEGER), CAST(?3 AS INTEGER)
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
WHERE true
ON CONFLICT (utc_day) DO UPDATE
SET published = published + excluded.published,
    quota = max(quota, CASE WHEN set_quota IS NULL THEN excluded.quota ELSE published + excluded.published END)
