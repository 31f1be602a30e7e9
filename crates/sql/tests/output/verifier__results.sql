SELECT 'results_not_dense' AS rule,
  'puzzle ' || d.puzzle_id AS subject,
  'there are ' || count(*) || ' results, in the slots ' || min(d.slot) || ' to ' || max(d.slot) AS detail,
  json_array(json_array('puzzles', d.puzzle_id)) AS concerned
FROM daily_results AS d
GROUP BY d.puzzle_id
HAVING min(d.slot) <> 1
    OR max(d.slot) <> count(*)
