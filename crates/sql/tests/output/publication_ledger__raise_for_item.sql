UPDATE site_state
SET bank_revision = bank_revision + 1
WHERE id = 1
  AND EXISTS (SELECT 1 FROM operator_actions AS o WHERE o.token = ?1 AND o.landing = 1)
