SELECT clock.now, p.opens_at, p.playable_until, (SELECT max(taken.slot) FROM daily_results AS taken WHERE taken.puzzle_id = ?2) AS last_slot,
  d.slot, d.outcome, d.guesses_used, d.report_token IS ?4 AS is_own
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
LEFT JOIN puzzles AS p ON p.puzzle_id = ?2
LEFT JOIN daily_results AS d ON d.puzzle_id = ?2 AND d.session_id = ?3
