SELECT 'quota_miscounted' AS rule,
  'day ' || days.utc_day AS subject,
  'the quota row counts ' || coalesce(q.published, 'nothing') || ', the receipts ' || days.n AS detail,
  json_array(json_array('daily_quotas', days.utc_day)) AS concerned
FROM (SELECT utc_day, sum(n) AS n
      FROM (SELECT r.committed_at / 86400000 AS utc_day, 1 AS n FROM commit_receipts AS r WHERE r.kind = 'publish'
            UNION ALL
            SELECT utc_day, 0 FROM daily_quotas)
      GROUP BY utc_day) AS days
LEFT JOIN daily_quotas AS q ON q.utc_day = days.utc_day
WHERE q.published IS NOT days.n
