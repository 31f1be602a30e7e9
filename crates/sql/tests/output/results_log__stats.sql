SELECT count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 1) AS won_with_1,
  count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 2) AS won_with_2,
  count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 3) AS won_with_3,
  count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 4) AS won_with_4,
  count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 5) AS won_with_5,
  count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 6) AS won_with_6,
  count(*) FILTER (WHERE d.outcome = 'lost') AS lost
FROM puzzles AS p
LEFT JOIN daily_results AS d ON d.puzzle_id = p.puzzle_id
WHERE p.puzzle_id = ?2
  AND p.opens_at <= ?1
GROUP BY p.puzzle_id
