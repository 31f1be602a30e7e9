INSERT INTO daily_quotas (utc_day, published, quota, set_quota)
SELECT o.at / 86400000, 0, 0, CAST(?1 AS INTEGER)
FROM operator_actions AS o
WHERE o.token = ?2
  AND o.landing = 1
ON CONFLICT (utc_day) DO UPDATE
SET set_quota = excluded.set_quota
