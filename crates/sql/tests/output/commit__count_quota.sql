INSERT INTO daily_quotas (utc_day, published, quota)
SELECT a.updated_at / 86400000, 1, CAST(?8 AS INTEGER)
FROM answer_posts AS a
WHERE a.puzzle_id = ?2
  AND a.commit_token = ?7
ON CONFLICT (utc_day) DO UPDATE
SET published = published + 1,
    quota = max(quota, CASE WHEN set_quota IS NULL THEN excluded.quota ELSE published + 1 END)
