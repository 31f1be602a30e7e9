INSERT INTO daily_results (puzzle_id, session_id, slot, outcome, guesses_used, report_token, created_at,
  won_with_1, won_with_2, won_with_3, won_with_4, won_with_5, won_with_6)
SELECT ?2, ?3, next.slot, ?4, CAST(?5 AS INTEGER), ?6, clock.now,
  iif(next.slot = 1, 0, before.won_with_1) + (?4 = 'won' AND CAST(?5 AS INTEGER) = 1),
  iif(next.slot = 1, 0, before.won_with_2) + (?4 = 'won' AND CAST(?5 AS INTEGER) = 2),
  iif(next.slot = 1, 0, before.won_with_3) + (?4 = 'won' AND CAST(?5 AS INTEGER) = 3),
  iif(next.slot = 1, 0, before.won_with_4) + (?4 = 'won' AND CAST(?5 AS INTEGER) = 4),
  iif(next.slot = 1, 0, before.won_with_5) + (?4 = 'won' AND CAST(?5 AS INTEGER) = 5),
  iif(next.slot = 1, 0, before.won_with_6) + (?4 = 'won' AND CAST(?5 AS INTEGER) = 6)
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
JOIN (SELECT coalesce((SELECT max(taken.slot) FROM daily_results AS taken WHERE taken.puzzle_id = ?2), 0) + 1 AS slot) AS next
JOIN puzzles AS p ON p.puzzle_id = ?2
LEFT JOIN daily_results AS before ON before.puzzle_id = ?2 AND before.slot = next.slot - 1
WHERE (p.opens_at <= clock.now AND clock.now < p.playable_until)
  AND next.slot <= 50000
ON CONFLICT (puzzle_id, session_id) DO NOTHING
