SELECT 'instant_not_in_calendar' AS rule,
  'puzzle ' || it.puzzle_id AS subject,
  'its answer changes at ' || it.instant || ', which visibility_instants does not have' AS detail,
  json_array(json_array('puzzles', it.puzzle_id), json_array('visibility_instants', it.instant)) AS concerned
FROM (SELECT puzzle_id, opens_at AS instant FROM puzzles
      UNION
      SELECT puzzle_id, playable_until FROM puzzles
      UNION
      SELECT puzzle_id, due_at FROM publication_items) AS it
WHERE NOT EXISTS (SELECT 1 FROM visibility_instants AS v WHERE v.instant = it.instant)
