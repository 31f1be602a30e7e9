SELECT (SELECT count(*) FROM alert_episodes AS v WHERE v.raised_by = ?1) AS raised,
  (SELECT count(*) FROM alert_episodes AS v WHERE v.cleared_by = ?1) AS cleared
