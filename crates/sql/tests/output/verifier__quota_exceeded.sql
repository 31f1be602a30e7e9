SELECT 'quota_exceeded' AS rule,
  'day ' || q.utc_day AS subject,
  'the day counts ' || q.published || ' published pages, and the highest quota of it was ' || q.quota AS detail,
  json_array(json_array('daily_quotas', q.utc_day)) AS concerned
FROM daily_quotas AS q
WHERE q.published > q.quota
