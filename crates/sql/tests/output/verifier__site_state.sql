SELECT 'site_state_missing' AS rule, 'site' AS subject, 'the one row of site_state is missing' AS detail
WHERE NOT EXISTS (SELECT 1 FROM site_state)
