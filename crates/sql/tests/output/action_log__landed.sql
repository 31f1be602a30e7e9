UPDATE operator_actions
SET landing = 0
WHERE token = ?1
  AND landing = 1
