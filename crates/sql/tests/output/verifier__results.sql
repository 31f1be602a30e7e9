SELECT CASE WHEN it.low = 1 AND it.high = it.n THEN 'results_miscounted' ELSE 'results_not_dense' END AS rule,
  'puzzle ' || it.puzzle_id AS subject,
  'there are ' || it.n || ' results, in the slots ' || it.low || ' to ' || it.high
    || '; won with 1 to 6 guesses were ' || it.counted || ', and kept is ' || it.kept AS detail,
  json_array(json_array('puzzles', it.puzzle_id)) AS concerned
FROM (SELECT d.puzzle_id, count(*) AS n, min(d.slot) AS low, max(d.slot) AS high,
    count(d.won_with_6) AS tallied,
    json_array(max(d.won_with_1), max(d.won_with_2), max(d.won_with_3), max(d.won_with_4), max(d.won_with_5), max(d.won_with_6)) AS kept,
    json_array(
    count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 1),
    count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 2),
    count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 3),
    count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 4),
    count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 5),
    count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 6)) AS counted
  FROM daily_results AS d
  GROUP BY d.puzzle_id) AS it
WHERE it.low <> 1
   OR it.high <> it.n
   OR (it.tallied = it.n AND it.kept <> it.counted)
