SELECT 'site_state_missing' AS rule,
  'site' AS subject,
  'the one row of site_state is missing' AS detail,
  json_array(json_array('site_state', 1)) AS concerned
WHERE NOT EXISTS (SELECT 1 FROM site_state)
